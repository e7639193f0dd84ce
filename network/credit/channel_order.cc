#include "network/credit/channel_order.h"

#include <algorithm>

namespace orrery {
namespace {

// Links from the nearest NPU to each node; 0 also for what no NPU reaches.
std::vector<std::int32_t> depths_of(const Topology& topology) {
  std::vector<std::vector<std::int32_t>> next(static_cast<std::size_t>(topology.node_count()));
  for (const Link& link : topology.links()) next[link.from.value].push_back(link.to.value);
  std::vector<std::int32_t> depths(next.size()), reached;
  std::vector<bool> seen(next.size());
  for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu) {
    seen[npu] = true;
    reached.push_back(npu);
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::int32_t node : next[reached[i]])
      if (!seen[node]) {
        seen[node] = true;
        depths[node] = depths[reached[i]] + 1;
        reached.push_back(node);
      }
  return depths;
}

}  // namespace

ChannelOrder::ChannelOrder(const Topology& topology, bool by_levels) : by_levels_(by_levels) {
  places_.reserve(topology.links().size());
  if (!topology.structural()) {
    place_on_graph(topology);
    return;
  }
  for (const Link& link : topology.links()) places_.push_back(place_on_levels(topology, link));
}

ChannelOrder::Place ChannelOrder::place_on_levels(const Topology& topology, const Link& link) {
  const LevelSpec& level = topology.levels()[link.level];
  switch (level.kind) {
    case LevelKind::switched:
      return {link.level, link.from.value < topology.npu_count() ? 0 : 1};
    case LevelKind::ring:
    case LevelKind::mesh: {
      const std::int32_t from = topology.coordinate(link.from, link.level);
      const bool upwards = topology.coordinate(link.to, link.level) == (from + 1) % level.size;
      return {link.level, upwards ? from : 2 * level.size - 1 - from};
    }
    case LevelKind::fully_connected:
    case LevelKind::graph:
      break;
  }
  return {link.level, 0};
}

void ChannelOrder::place_on_graph(const Topology& topology) {
  const std::vector<std::int32_t> depths = depths_of(topology);
  const std::int32_t deepest = *std::max_element(depths.begin(), depths.end());
  for (const Link& link : topology.links()) {
    const std::int32_t from = depths[link.from.value], to = depths[link.to.value];
    const std::int32_t sideways = deepest;
    places_.push_back({0, to > from ? from : to < from ? sideways + 1 + deepest - from : sideways});
  }
}

}  // namespace orrery
