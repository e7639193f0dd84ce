// How results depend on a key: lines over its values, or points where the grid is too thin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/lines.h"
#include "report/html/sweep_sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_multiples = 6, most_ticks = 10, most_points = 2'000;
constexpr std::size_t fewest_values = 200;  // of a line, however many lines there are
constexpr double ratio_of_log = 30;

// Positions of a key's values across, and which of them have a label.
void set_across(LineChart& chart, const SweepKey& key) {
  chart.across = key.name;
  const double low = key.values.front().number, high = key.values.back().number;
  chart.is_logarithmic = key.is_numeric && low > 0 && high / low >= ratio_of_log;
  const std::size_t every = (key.values.size() + most_ticks - 1) / most_ticks;
  for (std::size_t i = 0; i < key.values.size(); i += every)
    chart.across_ticks.emplace_back(key.is_numeric ? key.values[i].number : static_cast<double>(i),
                                    key.values[i].text);
}

double position_of(const SweepKey& key, std::size_t value) {
  return key.is_numeric ? key.values[value].number : static_cast<double>(value);
}

LinePoint point_of(const SweepView& view, const SweepCell& cell, double x) {
  LinePoint point{.x = x, .y = std::nullopt, .title = view.text_of(cell), .link = cell.link};
  if (cell.results.empty()) {
    point.title += ": failed";
    return point;
  }
  const Spread spread = spread_of(cell.results);
  point.y = spread.median;
  point.low = spread.low;
  point.high = spread.high;
  point.title += ": " + view.metric.text_of(spread.median);
  if (cell.results.size() > 1)
    point.title += fmt::format(", 10-90 %: {} to {}, {} seeds", view.metric.text_of(spread.low),
                               view.metric.text_of(spread.high), cell.results.size());
  return point;
}

// Keys by how many values they have; numbers before words.
std::vector<std::size_t> keys_by_size(const SweepView& view) {
  std::vector<std::size_t> order(view.keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const SweepKey &one = view.keys[a], &other = view.keys[b];
    if (one.is_numeric != other.is_numeric) return one.is_numeric;
    return one.values.size() > other.values.size();
  });
  return order;
}

struct Slice {
  std::size_t across = 0;
  std::optional<std::size_t> lines;  // key with a line for each value
  std::vector<std::size_t> fixed;    // a value for each key
  std::size_t charts = 1;            // that share the page
};

// Places of values: all, or evenly chosen ones.
std::vector<std::size_t> chosen_values(std::size_t count, std::size_t most) {
  std::vector<std::size_t> values;
  const std::size_t shown = std::min(count, most);
  for (std::size_t i = 0; i < shown; ++i)
    values.push_back(shown == 1 ? 0 : i * (count - 1) / (shown - 1));
  return values;
}

void add_series(LineChart& chart, FigureTable& table, const SweepView& view, const Slice& slice,
                const std::string& name, const std::vector<std::size_t>& at_of_line,
                std::size_t most_values) {
  LineSeries series{name, {}};
  std::vector<std::size_t> at = at_of_line;
  const SweepKey& key = view.keys[slice.across];
  for (const std::size_t value : chosen_values(key.values.size(), most_values)) {
    at[slice.across] = value;
    const std::optional<std::size_t> found = view.find(at);
    if (!found) continue;
    const SweepCell& cell = view.cells[*found];
    if (cell.results.empty() && cell.failed == 0) continue;
    series.points.push_back(point_of(view, cell, position_of(key, value)));
    table.rows.push_back({orrery::cell(name.empty() ? view.metric.words : name),
                          orrery::cell(key.values[value].text), cell_of_result(view, cell)});
  }
  if (!series.points.empty()) chart.series.push_back(std::move(series));
}

void add_note(Figure& figure, const std::string& sentence) {
  figure.note += (figure.note.empty() ? "" : " ") + sentence;
}

std::string answer_of(const LineChart& chart, const SweepView& view) {
  const LinePoint *least = nullptr, *most = nullptr;
  for (const LineSeries& series : chart.series)
    for (const LinePoint& point : series.points) {
      if (!point.y) continue;
      if (least == nullptr || *point.y < *least->y) least = &point;
      if (most == nullptr || *point.y > *most->y) most = &point;
    }
  if (least == nullptr) return "All points failed.";
  std::string answer = fmt::format("The {} is least at {}", view.metric.words, least->title);
  if (*least->y > 0 && *most->y > *least->y) {
    const double ratio = *most->y / *least->y;
    answer += fmt::format("; most at {}, {}", most->title,
                          ratio < 2 ? fmt::format("{:.1f} % more", (ratio - 1) * 100)
                                    : fmt::format("{:.4g} times as much", ratio));
  }
  return answer + '.';
}

struct SliceChart {
  Figure figure;  // without its picture
  LineChart chart;
};

// Without series if there is nothing to draw.
SliceChart slice_chart(const SweepView& view, const Slice& slice, std::size_t index) {
  const std::string question =
      fmt::format("{} over {}", view.metric.words, view.keys[slice.across].short_name);
  LineChart chart{.text = {fmt::format("lines-{}", index), question, ""},
                  .up = view.metric.words,
                  .up_unit = view.metric.unit};
  set_across(chart, view.keys[slice.across]);
  Figure figure;
  figure.table = {{"line", view.keys[slice.across].name, view.metric.words}, {}, ""};
  std::size_t most_values = most_points / slice.charts;
  if (slice.lines) {
    const SweepKey& key = view.keys[*slice.lines];
    std::vector<std::size_t> at = slice.fixed;
    const std::vector<std::size_t> shown = chosen_values(key.values.size(), most_lines);
    most_values = std::max(fewest_values, most_values / shown.size());
    for (const std::size_t value : shown) {
      at[*slice.lines] = value;
      add_series(chart, figure.table, view, slice,
                 fmt::format("{} = {}", key.short_name, key.values[value].text), at, most_values);
    }
    if (shown.size() < key.values.size())
      add_note(figure, fmt::format("{} of the {} values of {} have a line.", shown.size(),
                                   key.values.size(), key.name));
  } else {
    add_series(chart, figure.table, view, slice, "", slice.fixed, most_values);
  }
  if (chart.series.empty()) return {};
  if (const SweepKey& key = view.keys[slice.across]; key.values.size() > most_values)
    add_note(figure, fmt::format("{} of the {} values of {} are drawn.", most_values,
                                 key.values.size(), key.name));
  figure.answer = answer_of(chart, view);
  if (view.has_repeats)
    add_note(figure, "Lines are medians over the seeds, bands reach from 10 % to 90 % of them.");
  const auto failed = [](const LineSeries& series) {
    return std::ranges::any_of(series.points, [](const LinePoint& point) { return !point.y; });
  };
  if (std::ranges::any_of(chart.series, failed))
    add_note(figure, "Crosses are points that failed.");
  chart.text.description = figure.answer;
  return {std::move(figure), std::move(chart)};
}

// On one scale upwards.
void draw_together(Section& section, std::vector<SliceChart> slices) {
  std::optional<std::pair<double, double>> reach;
  for (const SliceChart& slice : slices)
    for (const LineSeries& series : slice.chart.series)
      for (const LinePoint& point : series.points)
        if (point.y)
          reach = {std::min(reach ? reach->first : point.low, point.low),
                   std::max(reach ? reach->second : point.high, point.high)};
  for (SliceChart& slice : slices) {
    if (slice.chart.series.empty()) continue;
    slice.chart.up_reach = reach;
    slice.figure.picture = drawn(slice.chart);
    section.figures.push_back(std::move(slice.figure));
  }
}

// One chart for each value of the third key; further keys have their best values.
void add_slices(Section& section, const SweepView& view) {
  const std::vector<std::size_t> order = keys_by_size(view);
  Slice slice{
      .across = order[0], .lines = std::nullopt, .fixed = view.cells[view.best.value_or(0)].at};
  if (order.size() > 1) slice.lines = order[1];
  std::string rest;
  for (std::size_t i = 3; i < order.size(); ++i)
    rest += fmt::format(", {} = {}", view.keys[order[i]].short_name,
                        view.value_of(view.cells[view.best.value_or(0)], order[i]));
  std::vector<SliceChart> slices;
  if (order.size() < 3) {
    slices.push_back(slice_chart(view, slice, 0));
  } else {
    const SweepKey& third = view.keys[order[2]];
    const std::size_t best = slice.fixed[order[2]];
    const std::size_t shown = std::min(third.values.size(), most_multiples);
    slice.charts = shown;
    for (std::size_t i = 0; i < shown; ++i) {
      // The best value is among them.
      const std::size_t value = best >= shown && i + 1 == shown ? best : i;
      slice.fixed[order[2]] = value;
      slices.push_back(slice_chart(view, slice, i));
      Figure& figure = slices.back().figure;
      figure.caption = fmt::format("{} = {}{}", third.short_name, third.values[value].text, rest);
      if (shown < third.values.size() && i == 0)
        add_note(figure, fmt::format("{} of the {} values of {} have a chart.", shown,
                                     third.values.size(), third.name));
    }
  }
  draw_together(section, std::move(slices));
}

// Samples that share no values: a point each, over every key.
Figure scatter_figure(const SweepView& view, std::size_t index) {
  const SweepKey& key = view.keys[index];
  LineChart chart{.text = {fmt::format("points-{}", index),
                           fmt::format("{} over {}", view.metric.words, key.short_name), ""},
                  .up = view.metric.words,
                  .up_unit = view.metric.unit,
                  .is_joined = false};
  set_across(chart, key);
  LineSeries series;
  for (const SweepCell& cell : view.cells)
    if (series.points.size() < most_points && (!cell.results.empty() || cell.failed > 0))
      series.points.push_back(point_of(view, cell, position_of(key, cell.at[index])));
  Figure figure{.caption = key.name};
  if (series.points.empty()) return figure;
  std::ranges::stable_sort(series.points, {}, &LinePoint::x);
  chart.series.push_back(std::move(series));
  figure.answer = answer_of(chart, view);
  if (view.cells.size() > most_points)
    figure.note =
        fmt::format("The first {} of {} points are drawn.", most_points, view.cells.size());
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

}  // namespace

TableCell cell_of_result(const SweepView& view, const SweepCell& cell) {
  if (cell.results.empty()) return orrery::cell(cell.failed > 0 ? "failed" : "not done");
  const Spread spread = spread_of(cell.results);
  std::string text = view.metric.text_of(spread.median);
  if (cell.results.size() > 1)
    text += fmt::format(" ({} to {})", view.metric.text_of(spread.low),
                        view.metric.text_of(spread.high));
  if (cell.failed > 0) text += fmt::format(", {} failed", cell.failed);
  return {text, fmt::format("{}", spread.median)};
}

Section how_it_depends(const SweepView& view) {
  Section section{
      "lines", fmt::format("How does the {} depend on the keys?", view.metric.words), {}};
  if (view.keys.empty()) return section;
  if (view.is_grid) {
    add_slices(section, view);
    return section;
  }
  for (std::size_t key = 0; key < view.keys.size() && key < most_multiples; ++key)
    section.figures.push_back(scatter_figure(view, key));
  std::erase_if(section.figures, [](const Figure& figure) { return figure.picture.empty(); });
  return section;
}

}  // namespace orrery
