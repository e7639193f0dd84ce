#include "simulation/traffic/size_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/units/total.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

// Moves the value of that percentile to its place. REQUIRES: not empty.
template <class Value>
Value percentile(std::vector<Value>& values, std::size_t percent) {
  const std::size_t rank = (values.size() * percent + 99) / 100;  // from 1
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

struct Group {
  FlowSizeRow row;
  std::vector<Duration> times;
  std::vector<double> slowdowns;

  void add(Duration time, Duration idle) {
    times.push_back(time);
    slowdowns.push_back(static_cast<double>(time.value) / static_cast<double>(idle.value));
  }
};

void append(std::vector<FlowSizeRow>& rows, Group& group) {
  if (group.times.empty()) return;
  FlowSizeRow& row = rows.emplace_back(std::move(group.row));
  row.count = group.times.size();
  row.time = distribution_of(group.times);
  row.slowdown = distribution_of(group.slowdowns);
}

// Between each two points, from the first one on.
std::vector<Group> groups_of(std::span<const SizePoint> points) {
  std::vector<Group> groups;
  Bytes above{-1};
  for (const SizePoint& point : points) {
    if (point.size == Bytes{} || point.size == above) continue;
    Group& group = groups.emplace_back();
    group.row.flows = fmt::format("to {}", to_text(point.size));
    group.row.above = std::max(above, Bytes{});
    group.row.most = point.size;
    above = point.size;
  }
  return groups;
}

}  // namespace

TimeDistribution distribution_of(std::vector<Duration>& values) {
  TotalTime sum;
  for (const Duration value : values) sum += value;
  const auto count = static_cast<std::int64_t>(values.size());
  return {sum.mean(count), percentile(values, 50), percentile(values, 95), percentile(values, 99)};
}

RatioDistribution distribution_of(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), percentile(values, 50), percentile(values, 95),
          percentile(values, 99)};
}

std::vector<FlowSizeRow> size_rows(const TrafficResult& result, std::span<const SizePoint> points) {
  std::vector<Group> groups = groups_of(points);
  Group all, incast;
  all.row.flows = "all";
  all.row.most = points.back().size;
  incast.row.flows = "incast";
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const Flow& flow = result.flows[i];
    if (!flow.finish || flow.start.since_start < result.warm_up) continue;
    const Duration time = *flow.finish - flow.start;
    if (flow.incast) {
      incast.row.most = flow.size;
      incast.add(time, result.idle[i]);
      continue;
    }
    all.add(time, result.idle[i]);
    const auto group = std::ranges::lower_bound(groups, flow.size, {},
                                                [](const Group& one) { return one.row.most; });
    if (group != groups.end()) group->add(time, result.idle[i]);
  }
  std::vector<FlowSizeRow> rows;
  for (Group& group : groups) append(rows, group);
  append(rows, all);
  append(rows, incast);
  return rows;
}

}  // namespace orrery
