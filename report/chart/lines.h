// Lines over values of a key: a median each, with a band around it; crosses for what failed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart/axis.h"
#include "report/chart/picture.h"

namespace orrery {

inline constexpr std::size_t most_lines = 7;  // as many colours are told apart

struct LinePoint {
  double x;
  std::optional<double> y;   // nothing: it failed
  double low = 0, high = 0;  // the band; both y without one
  std::string title;
  std::string link = {};  // where a click on it leads
  bool is_pale = false;   // of points that are not joined: beaten by others
};

// Something that happened to a line at a place.
struct LineEvent {
  double x, y;
  bool is_loss = false;  // a cross; else a ring
  std::string title;
};

struct LineSeries {
  std::string name;
  std::vector<LinePoint> points;  // ascending in x
  std::vector<LineEvent> events = {};
};

struct LineChart {
  PictureText text;
  std::string across = {}, up = {};  // quantities
  bool is_logarithmic = false;       // across; REQUIRES: x > 0
  std::vector<std::pair<double, std::string>> across_ticks = {};
  AxisUnit up_unit = {"", 1};
  AxisUnit across_unit = {"", 1};
  // Across: a mark, from the bottom to the top, and its name.
  std::optional<std::pair<double, std::string>> across_limit = {};
  bool is_joined = true;
  bool has_dots = true;       // else lines only: the page's script reads them, and zooms across
  bool is_up_linear = false;  // whatever the values
  // Values that the axis up has as well: charts of one scale.
  std::optional<std::pair<double, double>> up_reach = {};
  std::string loss_name = {}, ring_name = {};  // of events, for the legend; "" = there are none
  std::vector<LineSeries> series = {};         // most_lines at most
};

// A logarithmic axis up where the largest value is 50 times the smallest, unless `is_up_linear`;
// else it begins at zero.
std::string drawn(const LineChart& chart);

}  // namespace orrery
