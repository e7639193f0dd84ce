#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/lines.h"
#include "report/search_report.h"

namespace orrery {

namespace {

constexpr std::int64_t pixels_apart = 300;  // estimates nearer than that of the axis are one

LinePoint point_of(const SearchRow& row, Duration time, bool is_pale) {
  const auto value = static_cast<double>(time.value);
  return {.x = static_cast<double>(row.found.memory.value),
          .y = value,
          .low = value,
          .high = value,
          .title = fmt::format("{}: {}, {}", text_of(row.found.choice, row.found.training.data),
                               to_text(time), to_text(row.found.memory)),
          .is_pale = is_pale};
}

struct Reach {
  Duration slowest{1};
  Bytes fullest{1};
};

Reach reach_of(const SearchResult& result) {
  Reach reach;
  for (const SearchRow& row : result.rows) {
    reach.slowest = std::max({reach.slowest, row.estimate, row.time()});
    reach.fullest = std::max(reach.fullest, row.found.memory);
  }
  if (result.choices.room) reach.fullest = std::max(reach.fullest, *result.choices.room);
  return reach;
}

// Of those at about the same place the first, which is the fastest.
LineSeries estimates_of(const SearchResult& result, const Reach& reach) {
  LineSeries series{"estimated", {}};
  std::set<std::pair<std::int64_t, std::int64_t>> drawn;
  for (const SearchRow& row : result.rows) {
    const auto place = std::pair(row.found.memory.value / (reach.fullest.value / pixels_apart + 1),
                                 row.estimate.value / (reach.slowest.value / pixels_apart + 1));
    if (!row.pareto && drawn.insert(place).second)
      series.points.push_back(point_of(row, row.estimate, true));
  }
  return series;
}

}  // namespace

std::string search_picture(const SearchResult& result) {
  const Reach reach = reach_of(result);
  const AxisUnit memory = axis_unit(reach.fullest);
  LineChart chart{.text = {"search-chart", "Time over memory of " + result.name,
                           "Each point is a configuration that fits."},
                  .across = fmt::format("memory of a rank ({})", memory.name),
                  .up = "time of an iteration",
                  .up_unit = axis_unit(reach.slowest),
                  .is_joined = false};
  for (const double tick : ticks(0, static_cast<double>(reach.fullest.value) / memory.size, 10))
    chart.across_ticks.emplace_back(tick * memory.size, fmt::format("{:g}", tick));
  if (result.choices.room)
    chart.across_limit = {static_cast<double>(result.choices.room->value), "memory of an NPU"};
  LineSeries front{"unbeaten in time and memory", {}}, simulated{"simulated", {}};
  for (const SearchRow& row : result.rows) {
    if (row.pareto) front.points.push_back(point_of(row, row.estimate, false));
    if (row.simulated) simulated.points.push_back(point_of(row, *row.simulated, false));
  }
  chart.series = {estimates_of(result, reach), std::move(front), std::move(simulated)};
  return drawn(chart);
}

}  // namespace orrery
