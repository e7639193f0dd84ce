#include "report/chart/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace orrery {

namespace {

constexpr double width = 820, left = 190, right = 20, top = 36;
constexpr std::size_t most_label = 26;

int level_of(double share) {
  const auto level = static_cast<int>(std::floor(share * cell_levels));
  return std::clamp(level, 0, cell_levels - 1);
}

double height_of_row(const CellChart& chart) { return chart.rows.size() > 40 ? 5 : 18; }

// One outline for each level: rectangles that reach over the cells of a row which have it.
std::array<std::string, cell_levels> outlines(const CellChart& chart, double cell, double height) {
  std::array<std::string, cell_levels> paths;
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    const std::vector<double>& shares = chart.shares[row];
    for (std::size_t begin = 0, end = 0; begin < shares.size(); begin = end) {
      const bool is_drawn = shares[begin] > 0;
      const int level = level_of(shares[begin]);
      for (end = begin + 1; end < shares.size(); ++end)
        if ((shares[end] > 0) != is_drawn || level_of(shares[end]) != level) break;
      if (!is_drawn) continue;
      const double length = cell * static_cast<double>(end - begin);
      paths[static_cast<std::size_t>(level)] += fmt::format(
          "M{:.2f} {:.2f}h{:.2f}v{:.2f}h{:.2f}z", left + cell * static_cast<double>(begin),
          top + height * static_cast<double>(row), length, height, -length);
    }
  }
  return paths;
}

std::vector<std::string> joined(const std::vector<std::string>& names, std::size_t together) {
  std::vector<std::string> fewer;
  for (std::size_t i = 0; i < names.size(); i += together) {
    const std::size_t last = std::min(i + together, names.size()) - 1;
    fewer.push_back(last == i ? names[i] : fmt::format("{} ... {}", names[i], names[last]));
  }
  return fewer;
}

}  // namespace

void join_columns(CellChart& chart, std::size_t together) {
  const std::size_t columns = (chart.columns + together - 1) / together;
  for (std::vector<double>& shares : chart.shares) {
    std::vector<double> fewer(columns, 0);
    for (std::size_t i = 0; i < shares.size(); ++i)
      fewer[i / together] = std::max(fewer[i / together], shares[i]);
    shares = std::move(fewer);
  }
  chart.columns = columns;
  chart.column_names = joined(chart.column_names, together);
}

void join_rows(CellChart& chart, std::size_t together) {
  std::vector<std::string> rows;
  std::vector<std::vector<double>> shares;
  for (std::size_t row = 0; row < chart.rows.size(); ++row) {
    if (row % together == 0) {
      rows.push_back(chart.rows[row]);
      shares.push_back(chart.shares[row]);
      continue;
    }
    for (std::size_t i = 0; i < chart.columns; ++i)
      shares.back()[i] = std::max(shares.back()[i], chart.shares[row][i]);
  }
  chart.rows = std::move(rows);
  chart.row_names = joined(chart.row_names, together);
  chart.shares = std::move(shares);
}

std::size_t reduce_columns(CellChart& chart, std::size_t most) {
  const std::size_t together = (chart.columns + most - 1) / most;
  if (together > 1) join_columns(chart, together);
  return std::max<std::size_t>(together, 1);
}

std::size_t reduce_rows(CellChart& chart, std::size_t most) {
  const std::size_t together = (chart.rows.size() + most - 1) / most;
  if (together > 1) join_rows(chart, together);
  return std::max<std::size_t>(together, 1);
}

std::string drawn(const CellChart& chart) {
  const double height = height_of_row(chart);
  const double bottom = top + height * static_cast<double>(chart.rows.size());
  const double cell =
      (width - left - right) / static_cast<double>(std::max<std::size_t>(chart.columns, 1));
  Picture picture(chart.text, width, bottom + 44);
  picture.scale(left, 18, chart.least, chart.most);
  const std::array<std::string, cell_levels> paths = outlines(chart, cell, height);
  picture.set_cells({left, top, cell, height}, chart.row_names, chart.column_names);
  for (int level = 0; level < cell_levels; ++level)
    if (const std::string& path = paths[static_cast<std::size_t>(level)]; !path.empty())
      picture.area(path, colour_of_level(level),
                   chart.value(level / double{cell_levels}, (level + 1) / double{cell_levels}));
  // Labels of 12 pixels would lie on each other in thin rows.
  const auto every = static_cast<std::size_t>(std::ceil(14 / height));
  for (std::size_t row = 0; row < chart.rows.size(); row += every)
    picture.text(left - 8, top + height * static_cast<double>(row) + std::min(13.0, height + 4),
                 "end", chart.rows[row], most_label);
  for (const double y : {top, bottom}) picture.line(left, y, width - right, y, palette::idle);
  for (const double x : {left, width - right}) picture.line(x, top, x, bottom, palette::idle);
  picture.text(left, bottom + 16, "start", chart.first_column);
  picture.text(width - right, bottom + 16, "end", chart.last_column);
  picture.text((left + width - right) / 2, bottom + 36, "middle", chart.below);
  return picture.finish();
}

}  // namespace orrery
