// Points over two logarithmic axes, each with a mark below it for what it could be at best.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/chart/axis.h"
#include "report/chart/picture.h"

namespace orrery {

struct ChartPoint {
  double x, y;
  std::optional<double> bound;  // of y
  Paint paint;
  std::string group;  // for the legend
  std::string title;
};

struct PointChart {
  PictureText text;
  std::string across = {}, up = {};              // quantities
  std::string (*across_text)(double) = nullptr;  // "10 MB": of a value of the axis
  std::string (*up_text)(double) = nullptr;
  std::vector<ChartPoint> points = {};
  std::string bound_name = {};
};

// REQUIRES: at least one point; x, y and bounds above 0.
std::string drawn(const PointChart& chart);

}  // namespace orrery
