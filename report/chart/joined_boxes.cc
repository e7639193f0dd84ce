#include "report/chart/joined_boxes.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

namespace {

constexpr double box_width = 210, box_height = 34, column_width = 270, row_height = 120,
                 least_margin = 60, head_height = 50;
constexpr std::size_t most_characters = 32;  // of a label

struct Centre {
  double x, y;
};

// The boxes of each row, by their distance from the roots.
std::vector<std::vector<std::size_t>> rows_of(const JoinedBoxes& chart) {
  std::vector<bool> placed(chart.boxes.size());
  std::vector<std::vector<std::size_t>> rows(1);
  const auto place = [&](std::size_t box) {
    placed[box] = true;
    rows.back().push_back(box);
  };
  for (std::size_t box = 0; box < chart.boxes.size(); ++box)
    if (chart.boxes[box].is_root) place(box);
  for (;;) {
    std::vector<std::size_t> next;
    for (const BoxJoin& join : chart.joins)
      for (const auto& [near, far] : {std::pair{join.from, join.to}, {join.to, join.from}})
        if (!placed[far] && std::ranges::find(rows.back(), near) != rows.back().end())
          next.push_back(far);
    if (next.empty()) return rows;
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    rows.emplace_back();
    for (const std::size_t box : next) place(box);
  }
}

// `beside`: how many joins of the same boxes are drawn already.
void draw_join(Picture& picture, const BoxJoin& join, const std::vector<Centre>& at, int beside) {
  const Centre a = at[join.from], b = at[join.to];
  if (join.from == join.to) {
    const double right = a.x + box_width / 2, reach = 26 + 14 * beside;
    picture.path(fmt::format("M{0:.1f} {1:.1f}c{2:.1f} -14 {2:.1f} 28 0 14", right, a.y - 7, reach),
                 join.colour, "none", join.title, join.width);
    picture.text(right + 4, a.y + box_height / 2 + 12 + 14 * beside, "middle", join.text);
    return;
  }
  const double shift = 20.0 * beside;
  const double way = b.y == a.y ? 0 : b.y < a.y ? -1 : 1;
  const double from_y = a.y + way * box_height / 2, to_y = b.y - way * box_height / 2;
  const double bend = way == 0 ? 60 + shift : 0;
  picture.path(fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x + shift, from_y,
                           (a.x + b.x) / 2 + shift, (from_y + to_y) / 2 + bend, b.x + shift, to_y),
               join.colour, "none", join.title, join.width);
  // Beside a line that slants, on the side to which it leans: lines from one box go apart upwards.
  const Centre upper = a.y < b.y ? a : b, lower = a.y < b.y ? b : a;
  const bool leans_left = upper.x < lower.x;
  const double aside = (a.x == b.x ? 6 : 24) + join.width / 2;
  picture.text((a.x + b.x) / 2 + shift + (leans_left ? -aside : aside),
               (from_y + to_y) / 2 + bend / 2 + 14.0 * beside, leans_left ? "end" : "start",
               join.text);
}

// At the left and the right: a line at the last box has its text beside it.
double margin_of(const JoinedBoxes& chart) {
  std::size_t longest = 0;
  for (const BoxJoin& join : chart.joins) longest = std::max(longest, join.text.size());
  return std::max(least_margin, 40 + width_of_text(longest) - column_width / 2);
}

}  // namespace

std::string drawn(const JoinedBoxes& chart) {
  const double margin = margin_of(chart);
  const std::vector<std::vector<std::size_t>> rows = rows_of(chart);
  std::size_t widest = 2;
  for (const std::vector<std::size_t>& row : rows) widest = std::max(widest, row.size());
  const double width = 2 * margin + column_width * static_cast<double>(widest);
  const double height = head_height + row_height * static_cast<double>(rows.size());
  Picture picture(chart.text, width, height);
  picture.text(margin, 28, "start", chart.heading);
  double x = margin;
  for (const auto& [name, paint] : chart.legend) x = picture.legend(x, 56, paint, name);
  if (chart.scale) picture.scale(margin + 30, 56, chart.scale->first, chart.scale->second);
  std::vector<Centre> at(chart.boxes.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      at[rows[row][i]] = {
          width * (static_cast<double>(i) + 0.5) / static_cast<double>(rows[row].size()),
          height - row_height * (static_cast<double>(row) + 0.5)};
  std::pair<std::size_t, std::size_t> last{chart.boxes.size(), 0};
  int beside = 0;
  for (const BoxJoin& join : chart.joins) {
    const std::pair<std::size_t, std::size_t> ends = std::minmax({join.from, join.to});
    beside = ends == last ? beside + 1 : 0;
    last = ends;
    draw_join(picture, join, at, beside);
  }
  for (const std::vector<std::size_t>& row : rows)
    for (const std::size_t box : row) {
      const std::string outline =
          fmt::format("M{:.1f} {:.1f}h{}v{}h-{}z", at[box].x - box_width / 2,
                      at[box].y - box_height / 2, box_width, box_height, box_width);
      picture.area(outline, palette::ground);
      picture.stroke(outline, palette::ink);
      picture.text(at[box].x, at[box].y + 4, "middle", chart.boxes[box].label, most_characters);
    }
  return picture.finish();
}

}  // namespace orrery
