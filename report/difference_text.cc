#include "report/difference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/numbers.h"

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

// "-" where none of the digits shows.
std::string signed_text(Duration time, TimeUnit unit) {
  if (in_unit(std::max(time, -time), unit) == in_unit({}, unit)) return "-";
  return fmt::format("{}{}", time > Duration{} ? "+" : "", in_unit(time, unit));
}

bool shows(const PartDifference& row, TimeUnit unit, Systems systems) {
  return std::ranges::any_of(systems, [&](const RunResult& result) {
    const PartDifference* found = find_part(result, row);
    return found != nullptr && signed_text(found->difference, unit) != "-";
  });
}

// What was waited for without the network being to blame says so.
std::string name_of(const PartDifference& row, Systems systems) {
  if (!row.level.empty()) return fmt::format("{} on {}", row.part, row.level);
  for (const RunResult& result : systems)
    for (const TimePart& part : result.why)
      if (part.part == row.part && part.level.empty() && part.bound_by == BoundBy::late_ranks)
        return row.part + ", for late ranks";
  return row.part;
}

TextTable table_of(const std::vector<PartDifference>& rows, TimeUnit unit, Systems all_systems,
                   Systems shown) {
  std::vector<TextTable::Column> columns{{"", TextTable::Align::left}};
  std::vector<std::string> all{"iteration time"};
  for (const RunResult& result : shown) {
    columns.push_back({result.name});
    all.push_back(result.difference.empty() ? "-" : signed_text(sum(result), unit));
  }
  TextTable table(std::move(columns));
  table.add_row(std::move(all));
  for (const PartDifference& row : rows) {
    std::vector<std::string> cells{"  " + name_of(row, all_systems)};
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
  std::vector<PartDifference> rows = different_parts(systems);
  const TimeUnit unit = unit_of(systems);
  std::erase_if(rows, [&](const PartDifference& row) { return !shows(row, unit, systems); });
  if (rows.empty()) return "";
  const std::string tables = side_by_side(
      systems, width, [&](Systems shown) { return table_of(rows, unit, systems, shown); });
  return fmt::format("\nwhat makes the difference from the fastest, {} an iteration\n", unit.name) +
         tables.substr(1);
}

}  // namespace orrery
