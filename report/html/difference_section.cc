// What changed between systems: parts of an iteration against those of the fastest.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_parts = 12;

std::string part_of(const ResultJson& row) {
  const std::string level = text_of(row, "level");
  return level.empty() ? text_of(row, "part") : text_of(row, "part") + " on " + level;
}

std::string signed_text(Duration difference) {
  return (difference.value < 0 ? "-" : "+") +
         to_text(difference.value < 0 ? -difference : difference);
}

Bar bar_of(const ResultJson& row) {
  const Duration difference = duration_of(row, "difference_ps");
  return {.label = part_of(row),
          .parts = {{difference.value < 0 ? "less time" : "more time",
                     static_cast<double>(difference.value), paint_of_part(text_of(row, "part")),
                     signed_text(difference)}}};
}

std::string percentage(Duration difference, Duration before) {
  if (before.value == 0) return "-";
  return fmt::format(
      "{:+.1f} %", 100 * static_cast<double>(difference.value) / static_cast<double>(before.value));
}

std::string fastest_of(ReportedRuns runs) {
  for (const ReportedRun& run : runs)
    if (number_of(run.result, "ratio_to_fastest") == 1) return text_of(run.result, "name");
  return "the fastest";
}

std::string answer_of(const ReportedRun& run, const std::string& fastest) {
  const ResultJson& rows = rows_of(run.result, "difference");
  const ResultJson* largest = nullptr;
  for (const ResultJson& row : rows)
    if (!largest || duration_of(row, "difference_ps") > duration_of(*largest, "difference_ps"))
      largest = &row;
  std::string answer =
      fmt::format("{} takes {:.3f} times as long as {}", text_of(run.result, "name"),
                  number_of(run.result, "ratio_to_fastest"), fastest);
  if (duration_of(*largest, "difference_ps").value > 0)
    answer += fmt::format(", most of all for {}: {} an iteration", part_of(*largest),
                          signed_text(duration_of(*largest, "difference_ps")));
  return answer + '.';
}

// All figures have the scale of the largest difference.
Duration largest_difference(ReportedRuns runs) {
  Duration largest;
  for (const ReportedRun& run : runs)
    for (const ResultJson& row : rows_of(run.result, "difference"))
      largest = std::max(largest, Duration{std::abs(duration_of(row, "difference_ps").value)});
  return largest;
}

Figure difference_figure(const ReportedRun& run, std::size_t index, const std::string& fastest,
                         Duration largest) {
  Figure figure{.caption = fmt::format("{} against {}", text_of(run.result, "name"), fastest),
                .answer = answer_of(run, fastest)};
  BarChart chart{.text = {fmt::format("difference-chart-{}", index), figure.caption, figure.answer},
                 .quantity = "less time (left) or more (right) in an iteration than the fastest",
                 .unit = axis_unit(largest),
                 .bars = {},
                 .limit_name = "",
                 .named_parts = false,
                 .reach = static_cast<double>(largest.value),
                 .both_ways = true};
  figure.table = {{"part", fastest, "here", "difference", "in %"}, {}, ""};
  for (const ResultJson& row : rows_of(run.result, "difference")) {
    const Duration difference = duration_of(row, "difference_ps");
    const Duration before = duration_of(row, "fastest_ps");
    if (chart.bars.size() < most_parts) chart.bars.push_back(bar_of(row));
    figure.table.rows.push_back({cell(part_of(row)),
                                 cell(before),
                                 cell(duration_of(row, "here_ps")),
                                 {signed_text(difference), fmt::format("{}", difference.value)},
                                 cell(percentage(difference, before))});
  }
  figure.picture = drawn(chart);
  return figure;
}

}  // namespace

Section what_changed(ReportedRuns runs) {
  Section section{"difference", "What changed?", {}};
  const std::string fastest = fastest_of(runs);
  const Duration largest = largest_difference(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!rows_of(runs[i].result, "difference").empty())
      section.figures.push_back(difference_figure(runs[i], i, fastest, largest));
  return section;
}

}  // namespace orrery
