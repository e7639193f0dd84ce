#include "report/chart/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace orrery {

namespace {

constexpr double width = 820, height = 400, left = 80, right = 20, bottom = 60;
constexpr double ratio_of_log = 50;
constexpr std::size_t most_label = 14;

struct LineLook {
  const char* colour;
  const char* dashes;  // a second sign, in print
};
constexpr std::array<LineLook, most_lines> looks{{{palette::compute, "none"},
                                                  {palette::tensor, "8 3"},
                                                  {palette::pipeline, "3 3"},
                                                  {palette::reduction, "10 3 3 3"},
                                                  {palette::exchange, "6 2"},
                                                  {palette::other, "2 4"},
                                                  {palette::idle, "12 4"}}};

class Drawing {
 public:
  explicit Drawing(const LineChart& chart)
      : chart_(chart),
        top_(24 + 20 * static_cast<double>((names_of(chart) + in_line - 1) / in_line)),
        picture_(chart.text, width, height) {
    find_ranges();
  }

  std::string draw() {
    draw_axes();
    draw_legend();
    picture_.begin_part("plot");
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      draw(chart_.series[i], looks[i % most_lines]);
    picture_.end_part();
    return picture_.finish();
  }

 private:
  static constexpr std::size_t in_line = 3;

  static std::size_t names_of(const LineChart& chart) {
    return chart.series.size() + (chart.loss_name.empty() ? 0 : 1) +
           (chart.ring_name.empty() ? 0 : 1);
  }

  void find_ranges() {
    double low_x = std::numeric_limits<double>::infinity(), high_x = -low_x;
    double low_y = low_x, high_y = -low_x;
    for (const LineSeries& series : chart_.series)
      for (const LinePoint& point : series.points) {
        low_x = std::min(low_x, position(point.x));
        high_x = std::max(high_x, position(point.x));
        if (!point.y) continue;
        low_y = std::min(low_y, point.low);
        high_y = std::max(high_y, point.high);
      }
    if (chart_.up_reach) {
      low_y = std::min(low_y, chart_.up_reach->first);
      high_y = std::max(high_y, chart_.up_reach->second);
    }
    if (chart_.across_limit) high_x = std::max(high_x, position(chart_.across_limit->first));
    if (!(low_x < high_x)) {
      low_x -= 1;
      high_x += 1;
    }
    const double room = (high_x - low_x) * 0.04;
    across_ = {low_x - room, high_x + room, left, width - right};
    if (!(high_y >= low_y)) low_y = 0, high_y = chart_.up_unit.size;  // all failed
    is_log_ = !chart_.is_up_linear && low_y > 0 && high_y / low_y >= ratio_of_log;
    double low = is_log_ ? std::log10(low_y) : std::min(low_y, 0.0);
    double high = is_log_ ? std::log10(high_y) : high_y;
    if (!(low < high)) high = low + chart_.up_unit.size;
    const double above = (high - low) * 0.05;
    if (is_log_ || low < 0) low -= above;
    up_ = {low, high + above, height - bottom, top_};
  }

  double position(double x) const { return chart_.is_logarithmic ? std::log10(x) : x; }
  double x_of(double x) const { return across_.at(position(x)); }
  double y_of(double y) const { return up_.at(is_log_ ? std::log10(y) : y); }

  void draw_axes() {
    if (!chart_.has_dots) {
      picture_.set_across(across_, chart_.across_unit);
      picture_.set_up(up_, chart_.up_unit);
    }
    double last_label = -width;  // labels do not lie on each other
    picture_.begin_part("across");
    for (const auto& [value, label] : chart_.across_ticks) {
      const double x = x_of(value);
      picture_.line(x, top_, x, height - bottom, palette::grid);
      const auto characters = static_cast<double>(std::min(label.size(), most_label));
      if (x - last_label < 20 + 6.8 * characters) continue;
      picture_.text(x, height - bottom + 16, "middle", label, most_label);
      last_label = x;
    }
    picture_.end_part();
    if (chart_.across_limit) {
      const double x = x_of(chart_.across_limit->first);
      picture_.line(x, top_, x, height - bottom, palette::ink, 2);
      picture_.text(x - 6, top_ + 14, "end", chart_.across_limit->second);
    }
    for (const double value : up_ticks()) {
      const double y = y_of(value);
      picture_.line(left, y, width - right, y, palette::grid);
      picture_.text(left - 8, y + 4, "end", fmt::format("{:g}", value / chart_.up_unit.size));
    }
    const std::string_view unit = chart_.up_unit.name;
    picture_.text((left + width - right) / 2, height - 20, "middle", chart_.across);
    picture_.text(10, 16, "start",
                  unit.empty() ? chart_.up : fmt::format("{} ({})", chart_.up, unit));
  }

  std::vector<double> up_ticks() const {
    const double unit = chart_.up_unit.size;
    std::vector<double> values;
    if (!is_log_) {
      for (const double tick : ticks(up_.low / unit, up_.high / unit, 8))
        values.push_back(tick * unit);
      return values;
    }
    const bool is_long = up_.high - up_.low > 3;
    for (double power = std::floor(up_.low); power <= up_.high; ++power)
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * std::pow(10, power);
        if (is_long && factor != 1) continue;
        if (std::log10(value) >= up_.low && std::log10(value) <= up_.high) values.push_back(value);
      }
    return values;
  }

  static bool is_pale(const LineSeries& series) {
    return !series.points.empty() && series.points.front().is_pale;
  }

  static double x_of_name(std::size_t place) {
    return left + 240 * static_cast<double>(place % in_line);
  }
  static double y_of_name(std::size_t place) {
    return 36 + 20 * static_cast<double>(place / in_line);
  }

  void draw_legend() {
    std::size_t place = chart_.series.size();
    for (const bool is_loss : {true, false}) {
      const std::string& name = is_loss ? chart_.loss_name : chart_.ring_name;
      if (name.empty()) continue;
      picture_.event(x_of_name(place) + 22, y_of_name(place) - 4, is_loss, "");
      picture_.text(x_of_name(place) + 34, y_of_name(place), "start", name);
      ++place;
    }
    if (names_of(chart_) < 2) return;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const double x = x_of_name(i), y = y_of_name(i);
      const LineLook& look = looks[i % most_lines];
      if (chart_.is_joined)
        picture_.path(fmt::format("M{:.2f} {:.2f}h28", x, y - 4), look.colour, look.dashes, "");
      else if (is_pale(chart_.series[i]))
        picture_.ring(x + 22, y - 4, "");
      else
        picture_.dot(x + 22, y - 4, {look.colour, 0}, "");
      picture_.text(x + 34, y, "start", chart_.series[i].name, 28);
    }
  }

  void draw(const LineSeries& series, const LineLook& look) {
    std::string line, upper, lower;
    bool has_band = false;
    for (const LinePoint& point : series.points) {
      if (!point.y) continue;
      const double x = x_of(point.x);
      line += fmt::format("{}{:.2f} {:.2f}", line.empty() ? "M" : "L", x, y_of(*point.y));
      upper += fmt::format("{}{:.2f} {:.2f}", upper.empty() ? "M" : "L", x, y_of(point.high));
      lower = fmt::format("L{:.2f} {:.2f}", x, y_of(point.low)) + lower;
      has_band = has_band || point.low < point.high;
    }
    if (has_band && chart_.is_joined) picture_.band(upper + lower + "z", look.colour);
    if (chart_.is_joined && !line.empty())
      picture_.path(line, look.colour, look.dashes, chart_.has_dots ? "" : series.name);
    for (const LineEvent& event : series.events)
      picture_.event(x_of(event.x), y_of(event.y), event.is_loss, event.title);
    if (!chart_.has_dots) return;
    for (const LinePoint& point : series.points) {
      picture_.begin_link(point.link);
      if (point.y && point.is_pale)
        picture_.ring(x_of(point.x), y_of(*point.y), point.title);
      else if (point.y)
        picture_.dot(x_of(point.x), y_of(*point.y), {look.colour, 0}, point.title);
      else
        picture_.path(
            fmt::format("M{:.2f} {:.2f}l8 8m0 -8l-8 8", x_of(point.x) - 4, height - bottom - 12),
            look.colour, "none", point.title);
      picture_.end_link(point.link);
    }
  }

  const LineChart& chart_;
  double top_;
  bool is_log_ = false;
  Axis across_{}, up_{};
  Picture picture_;
};

}  // namespace

std::string drawn(const LineChart& chart) { return Drawing(chart).draw(); }

}  // namespace orrery
