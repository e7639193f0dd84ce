// Whether it matters which of its equally short paths a message takes.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "network/routing/shortest_paths.h"
#include "network/topology/topology.h"

namespace orrery {

class PathComparison {
 public:
  // REQUIRES: topology outlives this.
  explicit PathComparison(const Topology& topology)
      : topology_(topology), reached_(static_cast<std::size_t>(topology.node_count())) {}

  // True if all paths that these shares make have one latency and one narrowest bandwidth.
  // REQUIRES: the shares are Router::shares() of messages from this node.
  // `narrowest`: before the node, of ways that have come there.
  bool alike(NodeId from, std::span<const LinkShare> shares,
             Bandwidth narrowest = Bandwidth{std::numeric_limits<std::int64_t>::max()});

  // The latency to a node on the way, by any of the paths. REQUIRES: alike() said that it has one.
  Duration latency_to(NodeId node) const { return reached_[node.value].latency; }

 private:
  struct Reached {  // a node, by the paths so far
    std::uint64_t question = 0;
    Duration latency;
    Bandwidth narrowest;
  };

  const Topology& topology_;
  std::vector<Reached> reached_;  // of each node; of this question or an old one
  std::uint64_t question_ = 0;
  std::vector<LinkIndex> open_;
};

}  // namespace orrery
