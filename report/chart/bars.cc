#include "report/chart/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

constexpr double width = 820, left = 230, bar_height = 18, row_height = 26;
constexpr double right = 40, beside_width = 150;
constexpr std::size_t most_label = 32;

class Drawing {
 public:
  explicit Drawing(const BarChart& chart)
      : chart_(chart),
        axis_(axis_of(chart)),
        beside_(beside_of(chart)),
        legend_(legend_of(chart)),
        top_(16 + 20 * static_cast<double>(lines_of_legend())),
        bottom_(top_ + row_height * static_cast<double>(chart.bars.size())),
        picture_(chart.text, width, bottom_ + 44) {}

  std::string draw() {
    draw_legend();
    draw_axis();
    double y = top_ + (row_height - bar_height) / 2;
    for (const Bar& bar : chart_.bars) {
      draw(bar, y);
      y += row_height;
    }
    if (!chart_.beside_quantity.empty()) draw_beside();
    if (axis_.low < 0) picture_.line(axis_.at(0), top_, axis_.at(0), bottom_, palette::ink);
    return picture_.finish();
  }

 private:
  static Axis axis_of(const BarChart& chart) {
    double low = 0, high = 0;
    for (const Bar& bar : chart.bars) {
      double above = bar.start, below = 0;
      for (const BarPart& part : bar.parts) (part.value < 0 ? below : above) += part.value;
      low = std::min(low, below);
      high = std::max({high, above, bar.limit.value_or(0)});
    }
    high = std::max(high, chart.reach);
    if (chart.both_ways) low = std::min(low, -chart.reach);
    if (low == high) high = chart.unit.size;
    const double room = (high - low) * 0.02;
    return {low < 0 ? low - room : 0, high + room, left, end_of(chart)};
  }

  static double end_of(const BarChart& chart) {
    return width - right - (chart.beside_quantity.empty() ? 0 : beside_width + right);
  }

  static Axis beside_of(const BarChart& chart) {
    double high = chart.beside_reach;
    for (const Bar& bar : chart.bars)
      if (bar.beside) high = std::max(high, bar.beside->value);
    if (high == 0) high = 1;
    return {0, high * 1.02, width - right - beside_width, width - right};
  }

  // The parts of all bars, each once, in the order in which they come.
  static std::vector<std::pair<std::string, Paint>> legend_of(const BarChart& chart) {
    std::vector<std::pair<std::string, Paint>> names;
    if (!chart.named_parts) return names;
    for (const Bar& bar : chart.bars) {
      for (const BarPart& part : bar.parts) {
        const auto is_it = [&](const auto& name) { return name.first == part.name; };
        if (std::ranges::none_of(names, is_it)) names.emplace_back(part.name, part.paint);
      }
    }
    return names;
  }

  std::size_t lines_of_legend() const {
    const std::size_t names = legend_.size() + (chart_.limit_name.empty() ? 0 : 1);
    return (names + names_in_line - 1) / names_in_line;
  }

  void draw_legend() {
    std::size_t place = 0;
    const auto next = [&] {
      const double x = 10 + column * static_cast<double>(place % names_in_line);
      const double y = 20 + 20 * static_cast<double>(place / names_in_line);
      ++place;
      return std::pair(x, y);
    };
    for (const auto& [name, paint] : legend_) {
      const auto [x, y] = next();
      picture_.legend(x, y, paint, name);
    }
    if (chart_.limit_name.empty()) return;
    const auto [x, y] = next();
    picture_.line(x + 7, y - 12, x + 7, y + 4, palette::ink, 2);
    picture_.text(x + 18, y, "start", chart_.limit_name);
  }

  void draw_axis() {
    draw(axis_, chart_.quantity, chart_.unit, 8);
    if (!chart_.beside_quantity.empty())
      draw(beside_, chart_.beside_quantity, chart_.beside_unit, 3);
  }

  void draw(const Axis& axis, const std::string& quantity, const AxisUnit& unit, int most_ticks) {
    for (const double tick : ticks(axis.low / unit.size, axis.high / unit.size, most_ticks)) {
      const double x = axis.at(tick * unit.size);
      picture_.line(x, top_, x, bottom_, palette::grid);
      picture_.text(x, bottom_ + 16, "middle", fmt::format("{:g}", tick));
    }
    picture_.text((axis.begin + axis.end) / 2, bottom_ + 36, "middle",
                  unit.name.empty() ? quantity : fmt::format("{} ({})", quantity, unit.name));
  }

  void draw(const Bar& bar, double y) {
    picture_.text(left - 8, y + 13, "end", bar.label, most_label);
    double above = bar.start, below = 0;
    for (const BarPart& part : bar.parts) {
      double& end = part.value < 0 ? below : above;
      const double begin = end;
      end += part.value;
      if (part.value == 0) continue;
      const double x = axis_.at(std::min(begin, end));
      picture_.mark({x, y, axis_.at(std::max(begin, end)) - x, bar_height}, part.paint,
                    fmt::format("{}, {}: {}", bar.label, part.name, part.text), part.value);
    }
    if (bar.limit)
      picture_.line(axis_.at(*bar.limit), y - 3, axis_.at(*bar.limit), y + bar_height + 3,
                    palette::ink, 2);
  }

  void draw_beside() {
    picture_.begin_part("beside");
    double y = top_ + (row_height - bar_height) / 2;
    for (const Bar& bar : chart_.bars) {
      if (bar.beside && bar.beside->value > 0)
        picture_.mark({beside_.begin, y, beside_.at(bar.beside->value) - beside_.begin, bar_height},
                      bar.beside->paint,
                      fmt::format("{}, {}: {}", bar.label, bar.beside->name, bar.beside->text),
                      bar.beside->value);
      y += row_height;
    }
    picture_.end_part();
  }

  static constexpr std::size_t names_in_line = 4;
  static constexpr double column = 200;

  const BarChart& chart_;
  Axis axis_, beside_;
  std::vector<std::pair<std::string, Paint>> legend_;
  double top_, bottom_;
  Picture picture_;
};

}  // namespace

std::string drawn(const BarChart& chart) { return Drawing(chart).draw(); }

}  // namespace orrery
