#include "report/activity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/units/unit_text.h"
#include "report/text_table.h"

namespace orrery {
namespace {

constexpr std::int64_t most_columns = 64;
constexpr std::string_view shades = " .:-=+*#%@";  // a tenth of what is possible each

char shade(double share) {
  if (share <= 0) return shades.front();
  const auto tenth = static_cast<std::size_t>(std::min(share, 1.0) * 10);
  return shades[std::clamp<std::size_t>(tenth, 1, shades.size() - 1)];
}

// What one line shows: equal intervals from the start, the share of each.
struct ActivityLine {
  std::string name, level;
  std::vector<double> shares;
};

// A character for so many intervals, the mean of them.
std::string drawn(const ActivityLine& line, std::size_t intervals, std::size_t columns) {
  std::string text;
  for (std::size_t column = 0; column < columns; ++column) {
    double sum = 0;
    for (std::size_t i = column * intervals; i < (column + 1) * intervals; ++i)
      sum += i < line.shares.size() ? line.shares[i] : 0;
    text += shade(sum / static_cast<double>(intervals));
  }
  return text;
}

// `width`: of an interval.
std::string drawing(const char* heading, const std::vector<ActivityLine>& lines, Duration width,
                    Duration finish) {
  if (lines.empty()) return "";
  const std::int64_t count =
      std::max<std::int64_t>(1, (finish.value + width.value - 1) / width.value);
  const std::int64_t intervals = (count + most_columns - 1) / most_columns;
  const std::int64_t columns = (count + intervals - 1) / intervals;
  TextTable table({{heading, TextTable::Align::left},
                   {"level", TextTable::Align::left},
                   {"over time", TextTable::Align::left}});
  for (const ActivityLine& line : lines)
    table.add_row(
        {line.name, line.level,
         '|' + drawn(line, static_cast<std::size_t>(intervals), static_cast<std::size_t>(columns)) +
             '|'});
  return '\n' + table.text() +
         fmt::format(
             "(a column is {}; from \" \" for nothing to \"@\" for nine tenths and more of what "
             "could be carried)\n",
             to_text(width * intervals));
}

template <class Row, class NameOf>
std::vector<ActivityLine> lines_of(const std::vector<Row>& rows, NameOf name_of,
                                   double Row::*share) {
  std::vector<ActivityLine> lines;
  for (const Row& row : rows) {
    if (lines.empty() || row.begin == Duration{}) lines.push_back({name_of(row), row.level, {}});
    lines.back().shares.push_back(row.*share);
  }
  return lines;
}

}  // namespace

std::string activity_text(const RunResult& result) {
  std::string text;
  if (!result.activity.empty()) {
    const ActivityRow& first = result.activity.front();
    text += drawing(
        "activity",
        lines_of(
            result.activity, [](const ActivityRow&) { return "all NPUs"; }, &ActivityRow::share),
        first.end - first.begin, result.finish);
  }
  if (!result.link_activity.empty()) {
    const LinkActivityRow& first = result.link_activity.front();
    text += drawing("busiest links",
                    lines_of(
                        result.link_activity, [](const LinkActivityRow& row) { return row.link(); },
                        &LinkActivityRow::utilisation),
                    first.end - first.begin, result.finish);
  }
  return text;
}

}  // namespace orrery
