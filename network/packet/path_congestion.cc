#include "network/packet/path_congestion.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// The paper's: 3 bits, a time constant of 160 us, 10 ms (3.2, 3.3, 4.1).
constexpr double time_constant = 160e-6;  // s
constexpr double steps = 8;
constexpr Duration forgotten_after = milliseconds(10);

double decayed(double bytes, Duration since) {
  return bytes * std::exp(-static_cast<double>(since.value) * 1e-12 / time_constant);
}

}  // namespace

PathCongestion::PathCongestion(const Topology& topology) : loads_(topology.links().size()) {
  const auto is_switch = [&](NodeId node) {
    return topology.node_kind(node) == NodeKind::switched;
  };
  for (std::size_t i = 0; i < loads_.size(); ++i)
    loads_[i].counts = is_switch(topology.links()[i].from) && is_switch(topology.links()[i].to);
}

void PathCongestion::begin(PacketIndex packet) {
  if (packet >= tags_.size()) tags_.resize(packet + 1);
  tags_[packet] = {};
}

void PathCongestion::begin_path(PacketIndex packet, CoreNode here, CoreNode last, LinkIndex over,
                                Time now) {
  Tag& tag = tags_[packet];
  tag.first = over;
  tag.here = here;
  tag.last = last;
  const auto found = came_.find(key_of(here, last));
  if (found == came_.end()) return;
  Paths& paths = found->second;
  paths.turn = paths.turn + 1 < paths.metrics.size() ? paths.turn + 1 : 0;
  const Metric& metric = paths.metrics[paths.turn];
  if (now - metric.at > forgotten_after) return;
  tag.told_of = metric.first;
  tag.told = metric.value;
}

void PathCongestion::starts(PacketIndex packet, LinkIndex link, Bytes size, Bandwidth bandwidth,
                            Time now) {
  Load& load = loads_[link];
  if (!load.counts) return;
  load.bytes = decayed(load.bytes, now - load.at) + static_cast<double>(size.value);
  load.at = now;
  if (packet < tags_.size())
    tags_[packet].most = std::max(tags_[packet].most, metric_of(link, bandwidth, now));
}

void PathCongestion::arrived(PacketIndex packet, Time now) {
  const Tag& tag = tags_[packet];
  if (tag.first == none) return;
  note(came_[key_of(tag.last, tag.here)], tag.first, tag.most, now);
  if (tag.told_of != none) note(told_[key_of(tag.last, tag.here)], tag.told_of, tag.told, now);
}

void PathCongestion::note(Paths& paths, LinkIndex first, std::uint8_t value, Time now) {
  auto found = std::ranges::find(paths.metrics, first, &Metric::first);
  if (found == paths.metrics.end())
    found = paths.metrics.insert(paths.metrics.end(), {first, value, now});
  found->value = value;
  found->at = now;
}

std::uint8_t PathCongestion::metric_of(LinkIndex link, Bandwidth bandwidth, Time now) const {
  const Load& load = loads_[link];
  if (bandwidth == Bandwidth{}) return static_cast<std::uint8_t>(steps - 1);
  const double full = static_cast<double>(bandwidth.value) * time_constant;
  const double share = decayed(load.bytes, now - load.at) / full;
  return static_cast<std::uint8_t>(std::min(share * steps, steps - 1));
}

std::uint8_t PathCongestion::told(CoreNode here, CoreNode last, LinkIndex over, Time now) const {
  const auto paths = told_.find(key_of(here, last));
  if (paths == told_.end()) return 0;
  const auto metric = std::ranges::find(paths->second.metrics, over, &Metric::first);
  if (metric == paths->second.metrics.end() || now - metric->at > forgotten_after) return 0;
  return metric->value;
}

}  // namespace orrery
