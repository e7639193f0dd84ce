// What changes results: pairs of keys as a heat map, each key alone as bars, two metrics as a
// front.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "report/chart/bars.h"
#include "report/chart/heat_map.h"
#include "report/chart/lines.h"
#include "report/html/sweep_sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_front_points = 2'000, most_front_rows = 500;

// The two keys with the largest effects about the best point.
std::vector<std::size_t> strongest_keys(const SweepView& view) {
  std::vector<std::size_t> keys;
  if (!view.best) return keys;
  for (const KeyEffect& effect : effects_about(view.costs, *view.best))
    if (view.keys[effect.key].values.size() <= most_heat_cells && keys.size() < 2)
      keys.push_back(effect.key);
  return keys;
}

HeatCell heat_cell(const SweepView& view, const SweepCell& cell) {
  HeatCell heat{.value = std::nullopt, .title = view.text_of(cell), .link = cell.link};
  heat.is_there = !cell.results.empty() || cell.failed > 0;
  if (!cell.results.empty()) heat.value = quantile(cell.results, 0.5);
  heat.title += ": " + (heat.value ? view.metric.text_of(*heat.value) : std::string("failed"));
  return heat;
}

// Whether a result is at most 5 % worse than the best one.
bool is_near(const SweepView& view, double value, double best) {
  return view.metric.more_is_better ? value * 1.05 >= best : value <= best * 1.05;
}

// "a = 1", of all keys but two.
std::string others_of(const SweepView& view, const SweepCell& cell, std::size_t one,
                      std::size_t other) {
  std::string text;
  for (std::size_t key = 0; key < view.keys.size(); ++key)
    if (key != one && key != other)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", view.keys[key].short_name,
                          view.value_of(cell, key));
  return text;
}

Figure heat_figure(const SweepView& view, std::size_t across, std::size_t down) {
  const SweepCell& best = view.cells[*view.best];
  HeatMap map{.text = {"heat-chart",
                       fmt::format("{} over {} and {}", view.metric.words,
                                   view.keys[across].short_name, view.keys[down].short_name),
                       ""},
              .across = view.keys[across].name,
              .up = view.keys[down].name};
  Figure figure;
  figure.table = {{view.keys[down].name, view.keys[across].name, view.metric.words}, {}, ""};
  for (const SweepValue& value : view.keys[across].values) map.columns.push_back(value.text);
  std::vector<std::size_t> at = best.at;
  const double best_value = quantile(best.results, 0.5);
  double least = 0, most = 0;
  std::size_t near = 0;  // with the best one
  bool has_values = false;
  for (std::size_t row = 0; row < view.keys[down].values.size(); ++row) {
    map.rows.push_back(view.keys[down].values[row].text);
    map.cells.emplace_back(map.columns.size());
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      at[down] = row;
      at[across] = column;
      const std::optional<std::size_t> found = view.find(at);
      if (!found) continue;
      const SweepCell& cell = view.cells[*found];
      HeatCell heat = heat_cell(view, cell);
      if (heat.value) {
        heat.is_near = is_near(view, *heat.value, best_value);
        near += heat.is_near ? 1 : 0;
        least = has_values ? std::min(least, *heat.value) : *heat.value;
        most = has_values ? std::max(most, *heat.value) : *heat.value;
        has_values = true;
      }
      map.cells[row][column] = heat;
      figure.table.rows.push_back({orrery::cell(map.rows[row]), orrery::cell(map.columns[column]),
                                   cell_of_result(view, cell)});
    }
  }
  map.best = {best.at[down], best.at[across]};
  map.least = view.metric.text_of(least);
  map.most = view.metric.text_of(most);
  figure.answer = fmt::format("The best cell, {} = {} with {} = {}, has {}; the others reach {}.",
                              view.keys[across].short_name, view.value_of(best, across),
                              view.keys[down].short_name, view.value_of(best, down),
                              view.metric.text_of(best_value),
                              view.metric.text_of(view.metric.more_is_better ? least : most));
  if (near > 1)
    figure.note = fmt::format("The dashed line goes round {} cells within 5 % of the best. ", near);
  if (const std::string others = others_of(view, best, across, down); !others.empty())
    figure.note += fmt::format("All cells have {}, as the best point. ", others);
  figure.note += "Crosses are points that failed; what was not asked for is white.";
  map.text.description = figure.answer;
  figure.picture = drawn(map);
  return figure;
}

Figure tornado_figure(const SweepView& view, const std::vector<KeyEffect>& effects) {
  const SweepCell& best = view.cells[*view.best];
  BarChart chart{
      .text = {"tornado-chart", "What each key alone changes", ""},
      .quantity = fmt::format("{} {} than at the best point",
                              view.metric.more_is_better ? "less" : "more", view.metric.words),
      .unit = view.metric.unit};
  Figure figure;
  figure.table = {{"key", "best value", "worst value", "least change", "largest change",
                   "other values", "failed"},
                  {},
                  ""};
  const auto cell_of = [&](double value) {
    return TableCell{view.metric.text_of(value), fmt::format("{}", value)};
  };
  for (const KeyEffect& effect : effects) {
    const SweepKey& key = view.keys[effect.key];
    Bar bar{.label = key.short_name};
    const Paint near = {colour_of_level(cell_levels / 2), 0},
                far = {colour_of_level(cell_levels / 2), 1};
    bar.parts.push_back(
        {"its next best value", effect.least, near, view.metric.text_of(effect.least)});
    bar.parts.push_back({"up to its worst value", effect.most - effect.least, far,
                         view.metric.text_of(effect.most - effect.least)});
    if (effect.values > 0) chart.bars.push_back(std::move(bar));
    figure.table.rows.push_back(
        {orrery::cell(key.name), orrery::cell(view.value_of(best, effect.key)),
         orrery::cell(effect.values > 0 ? key.values[effect.worst].text : "failed"),
         cell_of(effect.least), cell_of(effect.most),
         cell_of_count(static_cast<std::int64_t>(effect.values)),
         cell_of_count(static_cast<std::int64_t>(effect.failed))});
  }
  const KeyEffect& first = effects.front();
  // Of several that matter as much, all are named: within a hundredth of the largest effect.
  std::string names = view.keys[first.key].name;
  const auto same = std::ranges::count_if(
      effects, [&](const KeyEffect& effect) { return effect.most > 0.99 * first.most; });
  for (std::ptrdiff_t i = 1; i < same; ++i)
    names += (i + 1 < same ? ", " : " and ") + view.keys[effects[i].key].name;
  figure.answer =
      fmt::format("What matters most {} {}: {}{} in place of {} changes the {} from {} by {}.",
                  same > 1 ? "are" : "is", names,
                  same > 1 ? view.keys[first.key].short_name + " = " : std::string(),
                  view.keys[first.key].values[first.worst].text, view.value_of(best, first.key),
                  view.metric.words, view.metric.text_of(quantile(best.results, 0.5)),
                  view.metric.text_of(first.most));
  figure.note =
      fmt::format("Each bar changes one key and keeps the others as at the best point: {}.",
                  view.text_of(best));
  chart.text.description = figure.answer;
  if (!chart.bars.empty()) figure.picture = drawn(chart);
  return figure;
}

// The first of what the sweep collects, or else of what usually stands against time, that varies
// here; "" if nothing does.
std::string other_metric(const SweepView& view, const SweepManifest& sweep) {
  std::vector<std::string> names = sweep.rows.front().metrics;
  for (const char* name : {"npus", "memory_bytes", "slowdown_p99", "drops", "exposed_ps"})
    names.emplace_back(name);
  for (const std::string& name : names) {
    if (view.metric.name == name) continue;
    std::set<double> values;
    for (const SweepRow& row : sweep.rows)
      if (const auto value = metric_of(row, name)) values.insert(*value);
    if (values.size() > 1) return name;
  }
  return "";
}

struct FrontPoint {
  const SweepCell* cell;
  double first, second;  // medians
};

// Of cells with both metrics.
std::vector<FrontPoint> front_points(const SweepView& view, const SweepManifest& sweep,
                                     const SweepMetric& other) {
  std::vector<FrontPoint> points;
  for (const SweepCell& cell : view.cells) {
    std::vector<double> second;
    for (const std::size_t row : cell.rows)
      if (const auto value = metric_of(sweep.rows[row], other.name)) second.push_back(*value);
    if (!cell.results.empty() && !second.empty())
      points.push_back({&cell, quantile(cell.results, 0.5), quantile(second, 0.5)});
  }
  return points;
}

}  // namespace

Section which_two_interact(const SweepView& view) {
  Section section{"heat", "Which two keys interact?", {}};
  const std::vector<std::size_t> keys = strongest_keys(view);
  if (!view.is_grid || keys.size() < 2) return section;
  // More values across than down.
  const bool is_wide = view.keys[keys[0]].values.size() >= view.keys[keys[1]].values.size();
  section.figures.push_back(
      heat_figure(view, is_wide ? keys[0] : keys[1], is_wide ? keys[1] : keys[0]));
  return section;
}

Section what_matters_most(const SweepView& view) {
  Section section{"tornado", "What matters most?", {}};
  if (!view.best) return section;
  const std::vector<KeyEffect> effects = effects_about(view.costs, *view.best);
  if (effects.empty() || effects.front().values == 0) return section;
  section.figures.push_back(tornado_figure(view, effects));
  return section;
}

Section what_to_choose(const SweepView& view, const SweepManifest& sweep,
                       const std::string& against) {
  Section section{"front", "What should I choose?", {}};
  const std::string name = against.empty() ? other_metric(view, sweep) : against;
  if (name.empty() || !view.best) return section;
  const SweepMetric other = metric_named(sweep, name);
  const std::vector<FrontPoint> points = front_points(view, sweep, other);
  if (points.empty()) return section;
  std::vector<TwoCosts> costs;
  for (const FrontPoint& point : points)
    costs.push_back({point.first * (view.metric.more_is_better ? -1 : 1),
                     point.second * (other.more_is_better ? -1 : 1)});
  const std::vector<bool> front = pareto_front(costs);
  LineChart chart{
      .text = {"front-chart", fmt::format("{} against {}", view.metric.words, other.words), ""},
      .across =
          other.words + (other.unit.name.empty() ? "" : fmt::format(" ({})", other.unit.name)),
      .up = view.metric.words,
      .up_unit = view.metric.unit,
      .is_joined = false};
  Figure figure;
  figure.table = {{"point", view.metric.words, other.words, "beaten"}, {}, ""};
  LineSeries series;
  std::size_t chosen = 0;
  double low = points.front().second, high = low;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string text = view.text_of(*points[i].cell);
    const std::string values = fmt::format("{}, {}", view.metric.text_of(points[i].first),
                                           other.text_of(points[i].second));
    low = std::min(low, points[i].second);
    high = std::max(high, points[i].second);
    if (front[i]) ++chosen;
    if (series.points.size() < most_front_points || front[i])
      series.points.push_back({points[i].second, points[i].first, points[i].first, points[i].first,
                               fmt::format("{}: {}", text, values), points[i].cell->link,
                               !front[i]});
    if (figure.table.rows.size() < most_front_rows || front[i])
      figure.table.rows.push_back(
          {orrery::cell(text),
           {view.metric.text_of(points[i].first), fmt::format("{}", points[i].first)},
           {other.text_of(points[i].second), fmt::format("{}", points[i].second)},
           orrery::cell(front[i] ? "no" : "yes")});
  }
  if (low == high) high = low + other.unit.size;
  for (const double tick : ticks(low / other.unit.size, high / other.unit.size, 8))
    chart.across_ticks.emplace_back(tick * other.unit.size, fmt::format("{:g}", tick));
  chart.series.push_back(std::move(series));
  figure.answer =
      fmt::format("{} of {} points {} beaten by no other in both {} and {}: the full dot{}.",
                  chosen, points.size(), chosen == 1 ? "is" : "are", view.metric.words, other.words,
                  chosen == 1 ? "" : "s");
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  section.figures.push_back(std::move(figure));
  return section;
}

}  // namespace orrery
