// What happens side by side: a lane for each actor, a mark for each thing that it does, over time.
#pragma once

#include <string>
#include <vector>

#include "report/chart/axis.h"
#include "report/chart/picture.h"

namespace orrery {

struct LaneMark {
  std::string name;  // of its kind, for the legend
  Paint paint;
  double begin, end;
  double waiting = 0;  // a part of its time, drawn as a strip along its lower edge
  std::string text;    // shown under the pointer
};

struct Lane {
  std::string label;
  std::vector<LaneMark> marks;  // in order, none begins before the last ends
};

struct LaneChart {
  PictureText text;
  std::string quantity = {};  // "time of the first iteration"
  AxisUnit unit = {};
  double reach = 0;  // the axis reaches so far or further
  std::vector<Lane> lanes = {};
  std::string waiting_name = {};  // of the strips, for the legend
  std::size_t most_marks = 4000;
};

// Marks that are too narrow to tell apart are put together, so that there are some `most_marks`.
// REQUIRES: a lane, and a mark that ends after 0.
std::string drawn(const LaneChart& chart);

}  // namespace orrery
