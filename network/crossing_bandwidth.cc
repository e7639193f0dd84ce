#include "network/crossing_bandwidth.h"

#include <algorithm>
#include <cstdint>

#include "network/maximum_flow.h"

namespace orrery {

namespace {

Bandwidth crossing(const Topology& topology, int level) {
  const std::int32_t senders = topology.stride(level);
  const std::int32_t all = senders * topology.levels()[static_cast<std::size_t>(level)].size;
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

}  // namespace

std::vector<Bandwidth> crossing_bandwidths(const Topology& topology) {
  std::vector<Bandwidth> found;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    found.push_back(topology.levels()[static_cast<std::size_t>(level)].bandwidth);
    if (topology.structural()) continue;
    const Bandwidth reached = crossing(topology, level);
    if (reached > Bandwidth{}) found.back() = std::min(found.back(), reached);
  }
  return found;
}

}  // namespace orrery
