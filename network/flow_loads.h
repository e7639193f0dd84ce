// What flows take of the links that they pass, dividing equally over all shortest paths.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

class Router;

class FlowLoads {
 public:
  // REQUIRES: topology outlives this.
  explicit FlowLoads(const Topology& topology);
  ~FlowLoads();
  FlowLoads(const FlowLoads&) = delete;
  FlowLoads& operator=(const FlowLoads&) = delete;

  void clear() { std::ranges::fill(seconds_, 0); }
  // False: there is no way. `share`: bytes, or a part of a buffer whose size is not known.
  bool add(NodeId from, NodeId to, double share);
  // How long each link is busy, and the busiest, in seconds if shares are bytes.
  const std::vector<double>& seconds() const { return seconds_; }
  double most() const;

 private:
  const Topology& topology_;
  std::unique_ptr<Router> router_;
  std::vector<double> seconds_;
};

// Of all links on the way to the neighbour on the level or half way round it, whichever is longer.
Duration latency_across(const Topology& topology, int level);

}  // namespace orrery
