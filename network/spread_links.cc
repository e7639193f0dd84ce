#include "network/spread_links.h"

#include <algorithm>
#include <set>
#include <vector>

#include "network/routing/router.h"

namespace orrery {

bool divides_messages(const Topology& topology, const RoutingSpec& routing) {
  Router router(topology, routing.of_flows(topology.structural()));
  if (!takes_all_paths(router.policy())) return false;
  std::vector<LinkShare> shares;
  router.shares(NodeId{0}, NodeId{topology.npu_count() - 1}, shares);
  return std::ranges::any_of(shares, [](const LinkShare& share) { return share.fraction < 1; });
}

SpreadLinks spread_links(const Topology& topology, const RoutingSpec& routing) {
  constexpr std::int32_t at_most = 16;  // of a level: a field of distances for each
  if (topology.structural()) return {};
  Router router(topology, routing.of_flows(topology.structural()));
  if (!takes_all_paths(router.policy())) return {};
  SpreadLinks spread;
  std::vector<LinkShare> shares;
  for (std::size_t level = 0; level < topology.levels().size(); ++level) {
    const std::int32_t nearest = topology.stride(static_cast<int>(level));
    const std::int32_t end = nearest * topology.levels()[level].size;
    const std::int32_t step = std::max(1, (end - nearest) / at_most);
    std::int32_t messages = 0;
    shares.clear();
    for (std::int32_t to = nearest; to < end; to += step, ++messages)
      router.shares(NodeId{0}, NodeId{to}, shares);
    spread.on_level.push_back(static_cast<double>(shares.size()) / messages);
    spread.links += spread.on_level.back() * (end - nearest) / (topology.npu_count() - 1);
  }
  std::set<CoreNode> leaves;
  for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu) {
    const std::vector<Entrance> entrances = router.entrances(NodeId{npu});
    if (entrances.size() == 1)
      leaves.insert(entrances.front().node);
    else
      ++spread.leaves;
  }
  spread.leaves += static_cast<std::int32_t>(leaves.size());
  return spread;
}

}  // namespace orrery
