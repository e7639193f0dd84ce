#include "report/chart/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {

namespace {

constexpr double width = 820, left = 190, right = 20, top = 40;
constexpr double most_width = 90;  // of a cell
constexpr double label_width = 62;

struct Layout {
  double cell, row, bottom;
};

Layout layout_of(const HeatMap& chart) {
  const auto columns = static_cast<double>(chart.columns.size());
  const auto rows = static_cast<double>(chart.rows.size());
  const double row = std::clamp(400 / rows, 14.0, 34.0);
  return {std::min(most_width, (width - left - right) / columns), row, top + row * rows};
}

std::pair<double, double> range_of(const HeatMap& chart) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::vector<HeatCell>& row : chart.cells)
    for (const HeatCell& cell : row)
      if (cell.value) {
        low = std::min(low, *cell.value);
        high = std::max(high, *cell.value);
      }
  return {low, high};
}

int level_of(double value, double low, double high) {
  if (!(low < high)) return 0;
  return std::clamp(static_cast<int>((value - low) / (high - low) * cell_levels), 0,
                    cell_levels - 1);
}

bool is_near(const HeatMap& chart, std::size_t row, std::size_t column) {
  return row < chart.cells.size() && column < chart.columns.size() &&
         chart.cells[row][column].is_near;
}

// Each edge between a cell that is near the best one and one that is not; rows and columns before
// the first wrap to large numbers, where there is no cell.
std::string outline_of_near(const HeatMap& chart, const Layout& layout) {
  std::string outline;
  for (std::size_t row = 0; row < chart.cells.size(); ++row)
    for (std::size_t column = 0; column < chart.columns.size(); ++column) {
      if (!is_near(chart, row, column)) continue;
      const double x = left + layout.cell * static_cast<double>(column), end = x + layout.cell;
      const double y = top + layout.row * static_cast<double>(row), bottom = y + layout.row;
      const auto across = [&](double at) {
        outline += fmt::format("M{:.2f} {:.2f}H{:.2f}", x, at, end);
      };
      const auto down = [&](double at) {
        outline += fmt::format("M{:.2f} {:.2f}V{:.2f}", at, y, bottom);
      };
      if (!is_near(chart, row - 1, column)) across(y);
      if (!is_near(chart, row + 1, column)) across(bottom);
      if (!is_near(chart, row, column - 1)) down(x);
      if (!is_near(chart, row, column + 1)) down(end);
    }
  return outline;
}

void draw_labels(Picture& picture, const HeatMap& chart, const Layout& layout) {
  for (std::size_t row = 0; row < chart.rows.size(); ++row)
    picture.text(left - 8, top + layout.row * (static_cast<double>(row) + 0.5) + 4, "end",
                 chart.rows[row], 24);
  const auto every = static_cast<std::size_t>(std::ceil(label_width / layout.cell));
  for (std::size_t column = 0; column < chart.columns.size(); column += every)
    picture.text(left + layout.cell * (static_cast<double>(column) + 0.5), layout.bottom + 16,
                 "middle", chart.columns[column], every > 1 ? 10 : 12);
  picture.text(left, layout.bottom + 36, "start", fmt::format("across: {}", chart.across));
  picture.text(left, layout.bottom + 54, "start", fmt::format("down: {}", chart.up));
  picture.scale(left, 18, chart.least, chart.most);
}

}  // namespace

std::string drawn(const HeatMap& chart) {
  const Layout layout = layout_of(chart);
  Picture picture(chart.text, width, layout.bottom + 64);
  draw_labels(picture, chart, layout);
  const auto [low, high] = range_of(chart);
  for (std::size_t row = 0; row < chart.cells.size(); ++row)
    for (std::size_t column = 0; column < chart.cells[row].size(); ++column) {
      const HeatCell& cell = chart.cells[row][column];
      if (!cell.is_there) continue;
      const double x = left + layout.cell * static_cast<double>(column);
      const double y = top + layout.row * static_cast<double>(row);
      picture.begin_link(cell.link);
      if (cell.value) {
        picture.mark({x, y, layout.cell, layout.row},
                     {colour_of_level(level_of(*cell.value, low, high)), 0}, cell.title,
                     *cell.value);
      } else {
        picture.path(fmt::format("M{:.2f} {:.2f}l8 8m0 -8l-8 8", x + layout.cell / 2 - 4,
                                 y + layout.row / 2 - 4),
                     palette::ink, "none", cell.title);
      }
      picture.end_link(cell.link);
    }
  // Ink with a white edge shows on every colour of the scale.
  if (const std::string near = outline_of_near(chart, layout); !near.empty()) {
    picture.path(near, palette::ground, "none", "", 4);
    picture.path(near, palette::ink, "5 3", "", 2);
  }
  if (chart.best) {
    const double x = left + layout.cell * static_cast<double>(chart.best->second);
    const double y = top + layout.row * static_cast<double>(chart.best->first);
    picture.outline({x + 2, y + 2, layout.cell - 4, layout.row - 4}, palette::ground, 6);
    picture.outline({x + 2, y + 2, layout.cell - 4, layout.row - 4}, palette::ink, 3);
  }
  return picture.finish();
}

}  // namespace orrery
