// HyperX: switches at the points of a grid, each joined to all others of its row in every
// dimension. J. Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale
// networks", SC'09.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

struct HyperxSpec {
  NodeSpec node;
  std::int32_t plugs = 1;           // of a switch, to servers
  std::vector<std::int32_t> sizes;  // of the dimensions; each >= 2
  Wire plug_wire;
  std::vector<Wire> wires;  // of each dimension; one for all, or one each
};

std::optional<SpecProblem> problem_of(const HyperxSpec& spec);
TopologySpec build_hyperx(const HyperxSpec& spec);  // REQUIRES: problem_of() finds none

}  // namespace orrery
