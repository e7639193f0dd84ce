#include "network/shift_bandwidth.h"

#include <algorithm>
#include <vector>

#include "network/flow_loads.h"

namespace orrery {

bool shifts_differ(const Topology& topology) {
  if (topology.structural()) return false;
  std::vector<std::int64_t> out(static_cast<std::size_t>(topology.npu_count()));
  std::vector<bool> has_npus(static_cast<std::size_t>(topology.node_count()));
  for (const Link& link : topology.links()) {
    const NodeKind from = topology.node_kind(link.from);
    if (from == NodeKind::npu)
      out[static_cast<std::size_t>(link.from.value)] += link.bandwidth.value;
    if (from != NodeKind::switched) has_npus[static_cast<std::size_t>(link.to.value)] = true;
  }
  if (std::ranges::adjacent_find(out, std::ranges::not_equal_to{}) != out.end()) return true;
  const auto holds = [&](NodeId node) {
    return topology.node_kind(node) == NodeKind::switched &&
           has_npus[static_cast<std::size_t>(node.value)];
  };
  return std::ranges::any_of(topology.links(),
                             [&](const Link& link) { return holds(link.from) && holds(link.to); });
}

namespace {

// How long each link is busy if each of the NPUs sends a byte so far; empty: there is no way.
std::vector<double> busy_of(FlowLoads& loads, std::int32_t senders, std::int32_t all,
                            std::int32_t distance) {
  loads.clear();
  for (std::int32_t npu = 0; npu < senders; ++npu)
    if (!loads.add({npu}, {(npu + distance) % all}, 1)) return {};
  return loads.seconds();
}

}  // namespace

std::optional<ShiftBandwidths> shift_bandwidths(const Topology& topology, int level,
                                                const std::map<Shift, std::int64_t>& stages,
                                                bool by_npu) {
  constexpr std::int32_t some = 4096;
  const std::int32_t below = topology.stride(level);
  const std::int32_t all = below * topology.levels()[static_cast<std::size_t>(level)].size;
  const std::int32_t senders = std::min(all, std::max(2 * below, some));
  const std::int32_t stride = by_npu ? 1 : below;
  FlowLoads loads(topology);
  std::map<std::int32_t, std::vector<double>> by_distance;
  std::vector<double> together(topology.links().size());
  double sent = 0, in_turn = 0;
  for (const auto& [stage, count] : stages) {
    std::vector<double> now(together.size());
    for (const auto& [distance, bytes] : stage) {
      std::vector<double>& busy = by_distance[distance];
      if (busy.empty()) busy = busy_of(loads, senders, all, distance * stride);
      if (busy.empty()) return std::nullopt;
      sent += static_cast<double>(bytes * count);
      for (std::size_t link = 0; link < now.size(); ++link)
        now[link] += busy[link] * static_cast<double>(bytes);
    }
    in_turn += std::ranges::max(now) * static_cast<double>(count);
    for (std::size_t link = 0; link < now.size(); ++link)
      together[link] += now[link] * static_cast<double>(count);
  }
  if (in_turn <= 0) return std::nullopt;
  return ShiftBandwidths{Bandwidth{static_cast<std::int64_t>(sent / in_turn)},
                         Bandwidth{static_cast<std::int64_t>(sent / std::ranges::max(together))}};
}

}  // namespace orrery
