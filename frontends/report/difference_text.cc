#include "frontends/report/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontends/report/numbers.h"

namespace orrery {

namespace {

const PartDifference* find_part(const RunResult& result, const PartDifference& wanted) {
  const auto found = std::ranges::find_if(result.difference, [&](const PartDifference& row) {
    return row.part == wanted.part && row.level == wanted.level;
  });
  return found == result.difference.end() ? nullptr : &*found;
}

// The parts that make a system slower than the fastest, those of the slowest system first.
std::vector<PartDifference> different_parts(Systems systems) {
  std::vector<const RunResult*> slowest_first;
  for (const RunResult& result : systems) slowest_first.push_back(&result);
  std::ranges::stable_sort(slowest_first, std::ranges::greater{}, &RunResult::finish);
  std::vector<PartDifference> rows;
  for (const RunResult* result : slowest_first)
    for (const PartDifference& row : result->difference)
      if (std::ranges::none_of(rows, [&](const PartDifference& known) {
            return known.part == row.part && known.level == row.level;
          }))
        rows.push_back(row);
  return rows;
}

Duration sum(const RunResult& result) {
  Duration sum;
  for (const PartDifference& row : result.difference) sum += row.difference;
  return sum;
}

TimeUnit unit_of(Systems systems) {
  Duration largest;
  for (const RunResult& result : systems)
    for (const PartDifference& row : result.difference)
      largest = std::max({largest, row.difference, -row.difference});
  return common_unit(largest);
}

std::string signed_text(Duration time, TimeUnit unit) {
  return fmt::format("{}{}", time > Duration{} ? "+" : "", in_unit(time, unit));
}

TextTable table_of(const std::vector<PartDifference>& rows, TimeUnit unit, Systems shown) {
  std::vector<TextTable::Column> columns{{"", TextTable::Align::left}};
  std::vector<std::string> all{"iteration time"};
  for (const RunResult& result : shown) {
    columns.push_back({result.name});
    all.push_back(result.difference.empty() ? "-" : signed_text(sum(result), unit));
  }
  TextTable table(std::move(columns));
  table.add_row(std::move(all));
  for (const PartDifference& row : rows) {
    std::vector<std::string> cells{
        fmt::format("  {}{}{}", row.part, row.level.empty() ? "" : " on ", row.level)};
    for (const RunResult& result : shown) {
      const PartDifference* found = find_part(result, row);
      cells.push_back(found != nullptr ? signed_text(found->difference, unit) : "-");
    }
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

std::string difference_text(Systems systems, std::size_t width) {
  const std::vector<PartDifference> rows = different_parts(systems);
  if (rows.empty()) return "";
  const TimeUnit unit = unit_of(systems);
  const std::string tables =
      side_by_side(systems, width, [&](Systems shown) { return table_of(rows, unit, shown); });
  return fmt::format("\nwhat makes the difference from the fastest, {} an iteration\n", unit.name) +
         tables.substr(1);
}

}  // namespace orrery
