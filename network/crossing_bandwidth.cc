#include "network/crossing_bandwidth.h"

#include <algorithm>
#include <cstdint>

#include "network/maximum_flow.h"

namespace orrery {

namespace {

// What the first `senders` NPUs can send to the others of the first `all`, for each sender.
Bandwidth flow_out(const Topology& topology, std::int32_t all, std::int32_t senders) {
  const auto source = static_cast<std::size_t>(topology.node_count()), sink = source + 1;
  MaximumFlow flow(sink + 1);
  constexpr std::int64_t unlimited = std::int64_t{1} << 60;
  for (std::int32_t npu = 0; npu < all; ++npu) {
    if (npu < senders)
      flow.add(source, static_cast<std::size_t>(npu), unlimited);
    else
      flow.add(static_cast<std::size_t>(npu), sink, unlimited);
  }
  for (const Link& link : topology.links()) {
    const bool begins = topology.forwards(link.from) || link.from.value < senders;
    const bool ends = link.to.value >= senders && link.to.value < all;
    if (begins && (topology.forwards(link.to) || ends))
      flow.add(static_cast<std::size_t>(link.from.value), static_cast<std::size_t>(link.to.value),
               link.bandwidth.value);
  }
  return Bandwidth{flow.maximum(source, sink) / senders};
}

std::int32_t npus_of(const Topology& topology, int level) {
  return topology.stride(level) * topology.levels()[static_cast<std::size_t>(level)].size;
}

// Links from the first NPU to each NPU; -1: there is no way.
std::vector<std::int32_t> distances_from_first(const Topology& topology) {
  std::vector<std::vector<std::int32_t>> next(static_cast<std::size_t>(topology.node_count()));
  for (const Link& link : topology.links())
    next[static_cast<std::size_t>(link.from.value)].push_back(link.to.value);
  std::vector<std::int32_t> distance(next.size(), -1), reached{0};
  distance[0] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::int32_t from = reached[i];
    if (from != 0 && !topology.forwards({from})) continue;
    for (const std::int32_t to : next[static_cast<std::size_t>(from)])
      if (distance[static_cast<std::size_t>(to)] < 0) {
        distance[static_cast<std::size_t>(to)] = distance[static_cast<std::size_t>(from)] + 1;
        reached.push_back(to);
      }
  }
  distance.resize(static_cast<std::size_t>(topology.npu_count()));
  return distance;
}

}  // namespace

std::vector<Bandwidth> crossing_bandwidths(const Topology& topology) {
  std::vector<Bandwidth> found;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    found.push_back(topology.levels()[static_cast<std::size_t>(level)].bandwidth);
    if (topology.structural()) continue;
    const Bandwidth reached = flow_out(topology, npus_of(topology, level), topology.stride(level));
    if (reached > Bandwidth{}) found.back() = std::min(found.back(), reached);
  }
  return found;
}

std::vector<SpreadBandwidth> spread_bandwidths(const Topology& topology) {
  const std::vector<std::int32_t> distance =
      topology.structural() ? std::vector<std::int32_t>() : distances_from_first(topology);
  std::vector<SpreadBandwidth> found;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const std::int32_t server = topology.stride(level), all = npus_of(topology, level);
    found.push_back({server, topology.levels()[static_cast<std::size_t>(level)].bandwidth});
    if (topology.structural()) continue;
    // Those nearer than the farthest are the first ones: builders plug in servers in turn.
    const auto farthest = *std::max_element(distance.begin(), distance.begin() + all);
    std::int32_t near = 0;
    while (near < all && distance[static_cast<std::size_t>(near)] < farthest) ++near;
    if (near <= server || near == all) continue;
    const double leave = static_cast<double>(all - near) / (all - server);
    const double rate = static_cast<double>(flow_out(topology, all, near).value) / leave;
    SpreadBandwidth& spread = found.back();
    spread.npus = near;
    if (rate > 0 && rate < static_cast<double>(spread.bandwidth.value))
      spread.bandwidth = Bandwidth{static_cast<std::int64_t>(rate)};
  }
  return found;
}

}  // namespace orrery
