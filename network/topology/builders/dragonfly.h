// Dragonfly: groups of routers that are fully connected, and groups joined to each other by global
// links. J. Kim, W. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
// topology", ISCA 2008.
#pragma once

#include <cstdint>
#include <optional>

#include "network/topology/builders/cluster_graph.h"

namespace orrery {

// The paper's balance is routers = 2 plugs = 2 globals; its largest network has routers * globals +
// 1 groups, one link between any two.
struct DragonflySpec {
  NodeSpec node;
  std::int32_t plugs = 1;    // of a router, to servers: p
  std::int32_t routers = 2;  // of a group: a
  std::int32_t globals = 1;  // links of a router to other groups: h
  std::int32_t groups = 0;   // g; 0: as many as there can be
  Wire plug_wire, local_wire, global_wire;

  std::int32_t group_count() const { return groups > 0 ? groups : routers * globals + 1; }
};

// Global links cost as much as three local ones, so that the shortest path has one of them at most,
// as minimal routing of the paper; its Valiant routing is RoutingPolicy::valiant.
std::optional<SpecProblem> problem_of(const DragonflySpec& spec);
TopologySpec build_dragonfly(const DragonflySpec& spec);  // REQUIRES: problem_of() finds none

}  // namespace orrery
