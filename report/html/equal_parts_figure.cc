#include "report/html/equal_parts_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/units/unit_text.h"
#include "report/chart/joined_boxes.h"

namespace orrery {

namespace {

constexpr double narrowest = 1, widest = 11;  // pixels of a line: never busy, always busy

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100); }

// "12 % to 85 %"; one number if all links are equally busy.
std::string range_of(const ResultJson& links) {
  const std::string least = percent(number_of(links, "least_utilisation"));
  const std::string most = percent(number_of(links, "most_utilisation"));
  return least == most ? most : fmt::format("{} to {}", least, most);
}

std::string name_at(const ResultJson& run, const ResultJson& links, const char* end) {
  return text_of(rows_of(run, "equal_nodes")[static_cast<std::size_t>(count_of(links, end))],
                 "name");
}

std::string links_text(const ResultJson& links) {
  return fmt::format("{} x {:.4g} GB/s", count_of(links, "count"),
                     number_of(links, "bandwidth_GBps"));
}

// One line shows a way and the way back if both are equally busy.
bool is_way_back(const ResultJson& links, const ResultJson& way) {
  constexpr std::array same{"bandwidth_GBps",     "count",           "bytes", "least_utilisation",
                            "median_utilisation", "most_utilisation"};
  return links["source"] == way["target"] && links["target"] == way["source"] &&
         links["level"] == way["level"] &&
         std::ranges::all_of(same, [&](const char* field) { return links[field] == way[field]; });
}

JoinedBoxes chart_of(const ResultJson& run) {
  const ResultJson& rows = rows_of(run, "equal_links");
  JoinedBoxes chart;
  chart.heading = "Lines are wide and dark where the busiest of their links is busy";
  chart.scale = {"0 %", "100 % of the time"};
  for (const ResultJson& nodes : rows_of(run, "equal_nodes"))
    chart.boxes.push_back({text_of(nodes, "name"), text_of(nodes, "kind") == "npu"});
  std::vector<const ResultJson*> drawn;
  for (const ResultJson& links : rows) {
    const auto is_drawn = [&](const ResultJson* way) { return is_way_back(links, *way); };
    const std::int64_t source = count_of(links, "source"), target = count_of(links, "target");
    if (source > target && std::ranges::any_of(drawn, is_drawn)) continue;
    drawn.push_back(&links);
    const double busy = std::clamp(number_of(links, "most_utilisation"), 0.0, 1.0);
    const bool both = source < target && std::ranges::any_of(rows, [&](const ResultJson& back) {
                        return is_way_back(back, links);
                      });
    const char* const way = source == target || both ? "" : source < target ? "up " : "down ";
    chart.joins.push_back(
        {.from = static_cast<std::size_t>(source),
         .to = static_cast<std::size_t>(target),
         .colour = colour_of_share(busy),
         .width = narrowest + (widest - narrowest) * busy,
         .text = fmt::format("{}, {}{}: {}", text_of(links, "level"), way, links_text(links),
                             range_of(links)),
         .title = fmt::format("{}, from {} to {}: {}; busy {}, the median {}",
                              text_of(links, "level"), name_at(run, links, "source"),
                              name_at(run, links, "target"), links_text(links), range_of(links),
                              percent(number_of(links, "median_utilisation")))});
  }
  // Joins of the same boxes after each other.
  std::ranges::stable_sort(chart.joins, {}, [](const BoxJoin& join) {
    return std::pair(std::min(join.from, join.to), std::max(join.from, join.to));
  });
  return chart;
}

}  // namespace

Figure equal_parts_figure(const ReportedRun& run, std::size_t index) {
  const ResultJson& rows = rows_of(run.result, "equal_links");
  Figure figure{.caption = caption_of(run)};
  figure.table = {{"from", "to", "level", "links", "of each", "bytes of all", "least busy",
                   "median", "busiest"},
                  {},
                  run.has_tables ? "equal_links.csv" : ""};
  const ResultJson* fullest = &rows.front();
  for (const ResultJson& links : rows) {
    if (number_of(links, "most_utilisation") > number_of(*fullest, "most_utilisation"))
      fullest = &links;
    figure.table.rows.push_back(
        {cell(name_at(run.result, links, "source")), cell(name_at(run.result, links, "target")),
         cell(text_of(links, "level")), cell_of_count(count_of(links, "count")),
         cell(fmt::format("{:.4g} GB/s", number_of(links, "bandwidth_GBps"))),
         cell(bytes_of(links, "bytes")), cell_of_share(number_of(links, "least_utilisation")),
         cell_of_share(number_of(links, "median_utilisation")),
         cell_of_share(number_of(links, "most_utilisation"))});
  }
  figure.answer =
      fmt::format("Busiest in {} are the links from {} to {} ({}): {} of the time, the median {}.",
                  text_of(run.result, "name"), name_at(run.result, *fullest, "source"),
                  name_at(run.result, *fullest, "target"), text_of(*fullest, "level"),
                  range_of(*fullest), percent(number_of(*fullest, "median_utilisation")));
  JoinedBoxes chart = chart_of(run.result);
  chart.text = {fmt::format("equal-parts-chart-{}", index), "The network", figure.answer};
  figure.picture = drawn(chart);
  figure.note =
      "Equal nodes are one box, with their number and the first of them. A line without \"up\" or "
      "\"down\" stands for both ways.";
  return figure;
}

}  // namespace orrery
