// Boxes and what joins them: the roots in the lowest row, what is joined to a row above it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart/picture.h"

namespace orrery {

struct LabelledBox {
  std::string label;
  bool is_root = false;
};

// A line between two boxes, or from a box back to it.
struct BoxJoin {
  std::size_t from = 0, to = 0;
  const char* colour = palette::ink;
  double width = 2;  // pixels
  std::string text;  // beside the line
  std::string title;
};

// Of joins between the same boxes each has its own line: they stand after each other.
struct JoinedBoxes {
  PictureText text;
  std::string heading;
  std::vector<std::pair<std::string, Paint>> legend = {};
  std::optional<std::pair<std::string, std::string>> scale = {};  // or what its ends stand for
  std::vector<LabelledBox> boxes = {};
  std::vector<BoxJoin> joins = {};
};

// REQUIRES: one of the boxes is a root. What no way of joins leads to is not drawn.
std::string drawn(const JoinedBoxes& chart);

}  // namespace orrery
