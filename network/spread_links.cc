#include "network/spread_links.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/routing/router.h"

namespace orrery {

double spread_links(const Topology& topology, const RoutingSpec& routing) {
  constexpr std::int32_t at_most = 64;  // a field of distances for each
  if (topology.structural()) return 0;
  Router router(topology, routing.of_flows(topology.structural()));
  if (!takes_all_paths(router.policy())) return 0;
  const std::int32_t step = std::max(1, topology.npu_count() / at_most);
  std::vector<LinkShare> shares;
  std::int32_t messages = 0;
  for (std::int32_t to = 1; to < topology.npu_count(); to += step, ++messages)
    router.shares(NodeId{0}, NodeId{to}, shares);
  return messages == 0 ? 0 : static_cast<double>(shares.size()) / messages;
}

}  // namespace orrery
