// Which part of the network is full: the busiest links, and levels and links over time; and who
// talks to whom.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/chart/cells.h"
#include "report/html/equal_parts_figure.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_links_shown = 20, most_links_of_table = 500, most_pairs = 200;

std::string name_of(const ReportedRun& run) { return text_of(run.result, "name"); }

Figure links_figure(const ReportedRun& run, std::size_t index) {
  Figure figure{.caption = caption_of(run)};
  BarChart chart{.text = {fmt::format("links-chart-{}", index), "The busiest links", ""},
                 .quantity = "share of the time that a link was busy",
                 .unit = {"%", 0.01},
                 .bars = {},
                 .limit_name = "",
                 .named_parts = false};
  figure.table = {{"link", "level", "bytes", "utilisation"},
                  {},
                  run.has_tables ? "links.csv" : "",
                  {"", "", "links.*.bytes", "links.*.utilisation"}};
  const ResultJson* busiest = nullptr;
  for (const ResultJson& link : rows_of(run.result, "links")) {
    const double utilisation = number_of(link, "utilisation");
    if (!busiest || utilisation > number_of(*busiest, "utilisation")) busiest = &link;
    const std::string name = text_of(link, "name");
    if (chart.bars.size() < most_links_shown)
      chart.bars.push_back({.label = name,
                            .parts = {{text_of(link, "level"),
                                       utilisation,
                                       {colour_of_share(utilisation), 0},
                                       fmt::format("{:.1f} %", utilisation * 100)}}});
    if (figure.table.rows.size() < most_links_of_table)
      figure.table.rows.push_back({cell(name), cell(text_of(link, "level")),
                                   cell(bytes_of(link, "bytes")), cell_of_share(utilisation)});
  }
  figure.answer = fmt::format(
      "In {}, {} of level {} is the busiest of {} links: {:.1f} % of the time, with {}.",
      name_of(run), text_of(*busiest, "name"), text_of(*busiest, "level"),
      count_of(run.result, "link_count"), number_of(*busiest, "utilisation") * 100,
      to_text(bytes_of(*busiest, "bytes")));
  figure.note = "Busiest links first. All links are in the result with --all-links.";
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

// Rows over time: levels, or links.
struct Activity {
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> shares;
  std::vector<Duration> ends;  // of the intervals
  std::size_t columns = 0;
};

Activity activity_of(const ResultJson& rows, const char* name_field, const char* share_field) {
  Activity activity;
  for (const ResultJson& row : rows) {
    const std::string name = text_of(row, name_field);
    const auto [shares, is_new] = activity.shares.try_emplace(name);
    if (is_new) activity.names.push_back(name);
    shares->second.push_back(std::clamp(number_of(row, share_field), 0.0, 1.0));
    const std::size_t interval = shares->second.size();
    activity.columns = std::max(activity.columns, interval);
    if (activity.ends.size() < interval) activity.ends.push_back(duration_of(row, "end_ps"));
  }
  return activity;
}

double mean_of(const std::vector<double>& shares) {
  double sum = 0;
  for (const double share : shares) sum += share;
  return shares.empty() ? 0 : sum / static_cast<double>(shares.size());
}

struct ActivityNames {
  const char *what, *csv, *id;
};

Figure activity_figure(const ReportedRun& run, std::size_t index, Activity activity,
                       const ActivityNames& names) {
  Figure figure{.caption = fmt::format("{}: {} over time", name_of(run), names.what)};
  CellChart chart{.text = {fmt::format("{}-{}", names.id, index), figure.caption, ""},
                  .rows = activity.names,
                  .columns = activity.columns,
                  .shares = {},
                  .below = "simulated time",
                  .first_column = "0 s",
                  .last_column = to_text(activity.ends.back()),
                  .least = "0 %",
                  .most = "100 % busy; white: nothing",
                  .row_names = activity.names,
                  .value = [](double low, double high) {
                    return fmt::format("{:.0f} to {:.0f} % busy", low * 100, high * 100);
                  }};
  for (Duration begin; const Duration end : activity.ends) {
    chart.column_names.push_back(fmt::format("{} to {}", to_text(begin), to_text(end)));
    begin = end;
  }
  figure.table = {{names.what, "mean", "highest interval"}, {}, run.has_tables ? names.csv : ""};
  std::string fullest;
  for (const std::string& name : activity.names) {
    std::vector<double>& shares = activity.shares[name];
    const double mean = mean_of(shares);
    if (fullest.empty() || mean > mean_of(activity.shares[fullest])) fullest = name;
    figure.table.rows.push_back(
        {cell(name), cell_of_share(mean), cell_of_share(*std::ranges::max_element(shares))});
  }
  for (const std::string& name : activity.names) {
    std::vector<double> shares = activity.shares[name];
    shares.resize(activity.columns, 0);
    chart.shares.push_back(std::move(shares));
  }
  const std::vector<double>& of_fullest = activity.shares[fullest];
  figure.answer =
      fmt::format("Busiest is {}: {:.1f} % on average, {:.1f} % in its fullest interval.", fullest,
                  mean_of(of_fullest) * 100, *std::ranges::max_element(of_fullest) * 100);
  const std::size_t together = reduce_columns(chart, most_cell_columns / run.coarseness);
  const std::size_t rows = reduce_rows(chart, most_cells / run.coarseness);
  if (together > 1 || rows > 1)
    figure.note = fmt::format("A cell is the maximum of {} intervals and {} rows.", together, rows);
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

// Ranks that sent or received in a group, and what each sent to each.
struct Matrix {
  std::map<std::int64_t, std::size_t> places;  // of ranks, in their order
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> bytes;
};

// Over all groups, in the order of ranks: ranks of one node are neighbours.
Matrix matrix_of(const ResultJson& rows) {
  Matrix matrix;
  for (const ResultJson& row : rows) {
    const std::int64_t source = count_of(row, "source"), target = count_of(row, "target");
    matrix.places[source] = matrix.places[target] = 0;
    matrix.bytes[{source, target}] += bytes_of(row, "bytes").value;
  }
  std::size_t place = 0;
  for (auto& [rank, at] : matrix.places) at = place++;
  return matrix;
}

// Logarithmic over four powers of ten: the pair with most bytes is 1, one with a ten-thousandth of
// it, or less, the lightest.
constexpr double powers = 4;

double shade_of(std::int64_t bytes, std::int64_t most) {
  const double below = std::log10(static_cast<double>(most) / static_cast<double>(bytes));
  return std::max(1 - below / powers, 0.001);
}

Bytes bytes_of_shade(double shade, std::int64_t most) {
  return Bytes{std::llround(static_cast<double>(most) * std::pow(10, (shade - 1) * powers))};
}

CellChart chart_of(const Matrix& matrix, std::int64_t most, std::size_t index) {
  CellChart chart{.text = {fmt::format("matrix-chart-{}", index), "Bytes by pair of ranks", ""},
                  .rows = {},
                  .columns = matrix.places.size(),
                  .shares = {},
                  .below = "to rank",
                  .first_column = fmt::format("{}", matrix.places.begin()->first),
                  .last_column = fmt::format("{}", matrix.places.rbegin()->first),
                  .least = to_text(Bytes{most / 10'000}),
                  .most = to_text(Bytes{most}) + ", logarithmic; white: nothing",
                  .value = [most](double low, double high) {
                    const std::string end = to_text(bytes_of_shade(high, most));
                    return low > 0 ? to_text(bytes_of_shade(low, most)) + " to " + end
                                   : "at most " + end;
                  }};
  for (const auto& [rank, place] : matrix.places) {
    chart.rows.push_back(fmt::format("from rank {}", rank));
    chart.row_names.push_back(fmt::format("rank {}", rank));
    chart.column_names.push_back(fmt::format("to rank {}", rank));
  }
  chart.shares.assign(chart.rows.size(), std::vector<double>(chart.columns, 0));
  for (const auto& [pair, bytes] : matrix.bytes)
    if (bytes > 0)
      chart.shares[matrix.places.at(pair.first)][matrix.places.at(pair.second)] =
          shade_of(bytes, most);
  return chart;
}

// Nodes stay whole, so that what is sent inside of them is on the diagonal.
std::size_t ranks_of_cell(const ReportedRun& run, const Matrix& matrix) {
  const std::size_t most = most_cells / run.coarseness;
  const std::size_t ranks = matrix.places.size(), least = (ranks + most - 1) / most;
  const auto node = static_cast<std::size_t>(count_of(run.result, "node_ranks"));
  // Not of a result that has no such number, or where not every rank of each node sends.
  if (least <= 1 || node == 0 || ranks % node != 0) return least;
  return (least + node - 1) / node * node;
}

std::string of_nodes(const ReportedRun& run, std::size_t ranks) {
  const auto node = static_cast<std::size_t>(count_of(run.result, "node_ranks"));
  if (node < 2 || ranks % node != 0) return "";
  return ranks == node ? ", those of two nodes" : fmt::format(", of {} nodes each", ranks / node);
}

Figure matrix_figure(const ReportedRun& run, std::size_t index) {
  const Matrix matrix = matrix_of(rows_of(run.result, "matrix"));
  Figure figure{.caption = caption_of(run)};
  std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> pairs;
  for (const auto& [pair, bytes] : matrix.bytes) pairs.emplace_back(bytes, pair);
  std::ranges::stable_sort(pairs, std::ranges::greater(),
                           [](const auto& row) { return row.first; });
  figure.table = {{"from rank", "to rank", "bytes"}, {}, run.has_tables ? "matrix.csv" : ""};
  for (const auto& [bytes, pair] : pairs) {
    if (figure.table.rows.size() == most_pairs) break;
    figure.table.rows.push_back(
        {cell_of_count(pair.first), cell_of_count(pair.second), cell(Bytes{bytes})});
  }
  const auto& [most, pair] = pairs.front();
  figure.answer =
      fmt::format("{} pairs of ranks of {} send; rank {} sends most to rank {}: {}.", pairs.size(),
                  name_of(run), pair.first, pair.second, to_text(Bytes{most}));
  if (pairs.size() > most_pairs)
    figure.note = fmt::format("The table has the {} pairs with most bytes.", most_pairs);
  CellChart chart = chart_of(matrix, std::max<std::int64_t>(most, 1), index);
  if (const std::size_t together = ranks_of_cell(run, matrix); together > 1) {
    join_rows(chart, together);
    join_columns(chart, together);
    figure.note += fmt::format(" A cell is the maximum of {} x {} pairs of ranks{}.", together,
                               together, of_nodes(run, together));
  }
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

}  // namespace

Section which_network_part_is_full(ReportedRuns runs) {
  Section section{"network", "Which part of the network is full?", {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ReportedRun& run = runs[i];
    if (!rows_of(run.result, "equal_links").empty())
      section.figures.push_back(equal_parts_figure(run, i));
    if (!rows_of(run.result, "links").empty()) section.figures.push_back(links_figure(run, i));
    if (const ResultJson& rows = rows_of(run.result, "activity"); !rows.empty())
      section.figures.push_back(activity_figure(run, i, activity_of(rows, "level", "share"),
                                                {"level", "activity.csv", "activity-chart"}));
    if (const ResultJson& rows = rows_of(run.result, "link_activity"); !rows.empty())
      section.figures.push_back(
          activity_figure(run, i, activity_of(rows, "link", "utilisation"),
                          {"link", "link_activity.csv", "link-activity-chart"}));
  }
  return section;
}

Section who_talks_to_whom(ReportedRuns runs) {
  Section section{"matrix", "Who talks to whom?", {}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!rows_of(runs[i].result, "matrix").empty())
      section.figures.push_back(matrix_figure(runs[i], i));
  return section;
}

}  // namespace orrery
