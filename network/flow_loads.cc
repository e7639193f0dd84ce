#include "network/flow_loads.h"

#include <algorithm>

#include "network/routing/level_routes.h"
#include "network/routing/router.h"

namespace orrery {

FlowLoads::FlowLoads(const Topology& topology)
    : topology_(topology), seconds_(topology.links().size()) {
  RoutingSpec spec;
  if (!topology.structural()) spec.policy = RoutingPolicy::spray;
  router_ = std::make_unique<Router>(topology, spec);
}

FlowLoads::~FlowLoads() = default;

bool FlowLoads::add(NodeId from, NodeId to, double share) {
  std::vector<LinkShare> links;
  std::vector<LinkIndex> scratch;
  if (topology_.structural() && has_two_ways(topology_, from, to))  // as on the fluid backend
    append_level_shares(topology_, from, to, links, scratch);
  else
    router_->shares(from, to, links);
  for (const auto& [link, fraction] : links)
    seconds_[link] +=
        share * fraction / static_cast<double>(topology_.links()[link].bandwidth.value);
  return !links.empty();
}

double FlowLoads::most() const { return std::ranges::max(seconds_); }

Duration latency_across(const Topology& topology, int level) {
  const std::int32_t stride = topology.stride(level);
  const LevelSpec& spec = topology.levels()[static_cast<std::size_t>(level)];
  Router router(topology, {});
  Duration longest = spec.latency;
  for (const std::int32_t distance : {1, spec.size / 2}) {
    std::vector<LinkIndex> links;
    if (!router.path({0}, {distance * stride}, 0, links)) continue;
    Duration sum;
    for (const LinkIndex link : links) sum += topology.links()[link].latency;
    longest = std::max(longest, sum);
  }
  return longest;
}

}  // namespace orrery
