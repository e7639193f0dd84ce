#include "report/html/over_time_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/lines.h"

namespace orrery {

namespace {

constexpr std::size_t most_intervals = 720;  // one for each pixel of the width

TimedValue peak_of(const TimeLine& line) {
  return *std::ranges::max_element(line.values, {}, &TimedValue::value);
}

// The largest value of each interval, where it is.
std::vector<TimedValue> reduced(const std::vector<TimedValue>& values, Duration end,
                                std::size_t intervals) {
  if (values.size() <= 2 * intervals) return values;
  const std::int64_t length = end.value / static_cast<std::int64_t>(intervals) + 1;
  std::vector<TimedValue> largest;
  for (const TimedValue& value : values) {
    const bool is_new =
        largest.empty() || largest.back().time.value / length != value.time.value / length;
    if (is_new)
      largest.push_back(value);
    else if (value.value > largest.back().value)
      largest.back() = value;
  }
  return largest;
}

bool has(const std::vector<TimeLine>& lines, std::vector<CountedAt> TimeLine::*events) {
  return std::ranges::any_of(lines, [&](const TimeLine& line) { return !(line.*events).empty(); });
}

std::int64_t sum_of(const std::vector<CountedAt>& events) {
  std::int64_t sum = 0;
  for (const CountedAt& event : events) sum += event.count;
  return sum;
}

LinePoint point_of(Duration time, double value) {
  return {
      .x = static_cast<double>(time.value), .y = value, .low = value, .high = value, .title = {}};
}

LineSeries series_of(const TimeLine& line, Duration end, std::size_t intervals) {
  LineSeries series{line.name, {}};
  double before = 0;
  for (const TimedValue& value : reduced(line.values, end, intervals)) {
    if (line.is_step && !series.points.empty())
      series.points.push_back(point_of(value.time, before));
    series.points.push_back(point_of(value.time, value.value));
    before = value.value;
  }
  for (const auto& [events, is_loss] : {std::pair{&line.lost, true}, {&line.marked, false}})
    for (const CountedAt& event : *events)
      series.events.push_back({static_cast<double>(event.time.value), event.height, is_loss,
                               fmt::format("{}: {} packets {} about {}", line.name, event.count,
                                           is_loss ? "lost" : "marked", to_text(event.time))});
  return series;
}

std::string drawn(const LinesOverTime& chart, const PictureText& text, std::size_t intervals) {
  Duration end{1};
  for (const TimeLine& line : chart.lines) end = std::max(end, line.values.back().time);
  const AxisUnit unit = axis_unit(end);
  LineChart lines{.text = text,
                  .across = fmt::format("simulated time ({})", unit.name),
                  .up = chart.names.quantity,
                  .up_unit = chart.unit,
                  .across_unit = unit,
                  .has_dots = false,
                  .is_up_linear = true};
  for (const double tick : ticks(0, static_cast<double>(end.value) / unit.size, 8))
    lines.across_ticks.emplace_back(tick * unit.size, fmt::format("{:g}", tick));
  for (const std::vector<TimeLine>* some : {&chart.lines, &chart.limits})
    for (const TimeLine& line : *some) lines.series.push_back(series_of(line, end, intervals));
  if (has(chart.lines, &TimeLine::lost)) lines.loss_name = "packets lost";
  if (has(chart.lines, &TimeLine::marked)) lines.ring_name = "packets marked";
  return drawn(lines);
}

std::string size_text(double value) { return to_text(Bytes{static_cast<std::int64_t>(value)}); }

}  // namespace

double highest_of(const std::vector<TimeLine>& lines) {
  double highest = 0;
  for (const TimeLine& line : lines) highest = std::max(highest, peak_of(line).value);
  return highest;
}

LinesOverTime bytes_over_time(OverTime names, std::vector<TimeLine> lines,
                              std::vector<TimeLine> limits) {
  const double highest = std::max(highest_of(lines), highest_of(limits));
  return {std::move(names), axis_unit(Bytes{static_cast<std::int64_t>(highest)}), size_text,
          std::move(lines), std::move(limits)};
}

Figure over_time_figure(const ReportedRun& run, std::size_t index, LinesOverTime chart) {
  const OverTime& names = chart.names;
  std::ranges::stable_sort(chart.lines, std::greater(),
                           [](const TimeLine& line) { return peak_of(line).value; });
  Figure figure{.caption = fmt::format("{}: {}", text_of(run.result, "name"), names.title)};
  const TimedValue peak = peak_of(chart.lines.front());
  figure.answer = fmt::format("The highest peak is that of {}: {} at {}.", chart.lines.front().name,
                              chart.text_of(peak.value), to_text(peak.time));
  figure.table = {{names.of_table, "peak", "at"}, {}, ""};
  const bool has_events = has(chart.lines, &TimeLine::lost) || has(chart.lines, &TimeLine::marked);
  if (has_events) figure.table.columns.insert(figure.table.columns.end(), {"lost", "marked"});
  for (const TimeLine& line : chart.lines) {
    const TimedValue most = peak_of(line);
    figure.table.rows.push_back({cell(line.name),
                                 {chart.text_of(most.value), fmt::format("{:.0f}", most.value)},
                                 cell(most.time)});
    if (!has_events) continue;
    figure.table.rows.back().push_back(cell_of_count(sum_of(line.lost)));
    figure.table.rows.back().push_back(cell_of_count(sum_of(line.marked)));
  }
  figure.note = names.note;
  const std::size_t most = most_lines - chart.limits.size();
  if (chart.lines.size() > most) {
    figure.note = fmt::format("The {} with the highest peaks are drawn. {}", most, names.note);
    chart.lines.resize(most);
  }
  figure.picture =
      drawn(chart, {fmt::format("{}-{}", names.id, index), figure.caption, figure.answer},
            most_intervals / run.coarseness);
  return figure;
}

}  // namespace orrery
