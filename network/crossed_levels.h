// Which levels a message crosses: those of the links on its way, as NetworkStatistics counts them.
// On levels they are where its ends differ. On a graph a message between two leaves also crosses
// the level of the leaves' links, wherever on its leaf it begins and ends.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/routing/router.h"

namespace orrery {

class CrossedLevels {
 public:
  // REQUIRES: topology outlives this; `routing` as a Router takes it.
  CrossedLevels(const Topology& topology, const RoutingSpec& routing);

  // A bit for each level; of a policy that draws ways, of one of them. Faults do not change it.
  // REQUIRES: from != to; two NPUs, or one and a switch of a level.
  std::uint64_t between(NodeId from, NodeId to);

 private:
  std::uint64_t on_the_way(NodeId from, NodeId to);

  const Topology& topology_;
  Router router_;
  std::unordered_map<std::uint64_t, std::uint64_t> found_;  // by both ends, the latest pairs
  std::vector<LinkIndex> links_;
  std::vector<LinkShare> shares_;
};

}  // namespace orrery
