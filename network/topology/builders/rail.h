// Rail-optimised networks: plug i of every server goes to leaf switches of rail i, so that NPUs of
// the same local index are one switch apart and collectives between nodes stay in their rails.
// After NVIDIA's DGX SuperPOD reference architecture and W. Wang et al., "Rail-only", HotI 2024.
#pragma once

#include <cstdint>
#include <optional>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

struct RailSpec {
  NodeSpec node;
  std::int32_t nodes = 2;
  std::int32_t nodes_per_leaf = 0;  // a scalable unit; 0: all nodes
  // Every leaf has a link to each; 0: rails are planes of their own, and messages between different
  // local indices of different nodes have no way.
  std::int32_t spines = 0;
  Wire wire, spine_wire;
};

std::optional<SpecProblem> problem_of(const RailSpec& spec);
TopologySpec build_rail(const RailSpec& spec);  // REQUIRES: problem_of() finds none

}  // namespace orrery
