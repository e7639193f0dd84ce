#include "network/spread_links.h"

#include <algorithm>
#include <set>
#include <vector>

#include "network/routing/router.h"

namespace orrery {

SpreadLinks spread_links(const Topology& topology, const RoutingSpec& routing) {
  constexpr std::int32_t at_most = 64;  // a field of distances for each
  if (topology.structural()) return {};
  Router router(topology, routing.of_flows(topology.structural()));
  if (!takes_all_paths(router.policy())) return {};
  SpreadLinks spread;
  const std::int32_t step = std::max(1, topology.npu_count() / at_most);
  std::vector<LinkShare> shares;
  std::int32_t messages = 0;
  for (std::int32_t to = 1; to < topology.npu_count(); to += step, ++messages)
    router.shares(NodeId{0}, NodeId{to}, shares);
  if (messages > 0) spread.links = static_cast<double>(shares.size()) / messages;
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
