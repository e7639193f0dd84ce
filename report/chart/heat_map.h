// A cell for each pair of values of two keys, darker for more, the best one outlined,
// and a line round those that are nearly as good.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart/picture.h"

namespace orrery {

inline constexpr std::size_t most_heat_cells = 64;  // in one direction

struct HeatCell {
  std::optional<double> value;
  std::string title;      // with the value for people
  std::string link = {};  // where a click on it leads
  bool is_there = false;  // without a value it failed
  bool is_near = false;   // as good as the best: a line goes round such cells
};

struct HeatMap {
  PictureText text;
  std::string across = {}, up = {};                              // the keys
  std::vector<std::string> columns = {}, rows = {};              // their values
  std::vector<std::vector<HeatCell>> cells = {};                 // by row and column
  std::optional<std::pair<std::size_t, std::size_t>> best = {};  // row and column
  std::string least = {}, most = {};                             // of the values, for the legend
};

// REQUIRES: most_heat_cells at most in each direction.
std::string drawn(const HeatMap& chart);

}  // namespace orrery
