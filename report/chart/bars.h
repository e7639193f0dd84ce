// Horizontal bars of parts: lengths are proportional to values, from a zero that is always shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/chart/axis.h"
#include "report/chart/picture.h"

namespace orrery {

struct BarPart {
  std::string name;
  double value;
  Paint paint;
  std::string text;  // the value for people
};

struct Bar {
  std::string label = {};
  std::vector<BarPart> parts = {};
  std::optional<double> limit = {};    // a mark across the bar
  double start = 0;                    // of a waterfall: where the bar before it ends
  std::optional<BarPart> beside = {};  // at the right, on a scale of its own from zero
};

struct BarChart {
  PictureText text;
  std::string quantity = {};  // "time of an iteration"
  AxisUnit unit = {};
  std::vector<Bar> bars = {};
  std::string limit_name = {};       // "" without limits
  bool named_parts = true;           // a legend of the parts
  double reach = 0;                  // the axis reaches so far or further: charts of one scale
  bool both_ways = false;            // and as far below zero
  std::string beside_quantity = {};  // "" without bars beside
  AxisUnit beside_unit = {};
  double beside_reach = 0;
};

std::string drawn(const BarChart& chart);

}  // namespace orrery
