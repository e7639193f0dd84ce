#include "report/chart/points.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace orrery {

namespace {

constexpr double width = 820, height = 440, left = 80, right = 40, top = 60, bottom = 60;

// Powers of ten around the values.
Axis powers_around(double least, double most, double begin, double end) {
  const double low = std::floor(std::log10(least)), high = std::ceil(std::log10(most));
  return {low, high > low ? high : low + 1, begin, end};
}

struct Axes {
  Axis across, up;
};

Axes axes_of(const PointChart& chart) {
  double least_x = chart.points.front().x, most_x = least_x;
  double least_y = chart.points.front().y, most_y = least_y;
  for (const ChartPoint& point : chart.points) {
    least_x = std::min(least_x, point.x);
    most_x = std::max(most_x, point.x);
    least_y = std::min({least_y, point.y, point.bound.value_or(point.y)});
    most_y = std::max(most_y, point.y);
  }
  return {powers_around(least_x, most_x, left, width - right),
          powers_around(least_y, most_y, height - bottom, top)};
}

void draw_axes(Picture& picture, const PointChart& chart, const Axes& axes) {
  for (double power = axes.across.low; power <= axes.across.high; ++power) {
    const double x = axes.across.at(power);
    picture.line(x, top, x, height - bottom, palette::grid);
    picture.text(x, height - bottom + 16, "middle", chart.across_text(std::pow(10, power)));
  }
  for (double power = axes.up.low; power <= axes.up.high; ++power) {
    const double y = axes.up.at(power);
    picture.line(left, y, width - right, y, palette::grid);
    picture.text(left - 8, y + 4, "end", chart.up_text(std::pow(10, power)));
  }
  picture.text((left + width - right) / 2, height - 20, "middle", chart.across);
  picture.text(10, 16, "start", chart.up);
}

void draw_legend(Picture& picture, const PointChart& chart) {
  double x = left;
  std::set<std::string> named;
  for (const ChartPoint& point : chart.points)
    if (named.insert(point.group).second)
      x = picture.legend(x, 40, {point.paint.colour, 0}, point.group);
  if (chart.bound_name.empty()) return;
  picture.ring(x + 7, 36, chart.bound_name);
  picture.text(x + 18, 40, "start", chart.bound_name);
}

}  // namespace

std::string drawn(const PointChart& chart) {
  Picture picture(chart.text, width, height);
  const Axes axes = axes_of(chart);
  draw_axes(picture, chart, axes);
  draw_legend(picture, chart);
  for (const ChartPoint& point : chart.points) {
    const double x = axes.across.at(std::log10(point.x));
    const double y = axes.up.at(std::log10(point.y));
    if (point.bound) {
      const double low = axes.up.at(std::log10(*point.bound));
      picture.line(x, y, x, low, palette::ink);
      picture.ring(x, low, point.title);
    }
    picture.dot(x, y, point.paint, point.title);
  }
  return picture.finish();
}

}  // namespace orrery
