// A cluster whose nodes and links are written out by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/spec_problem.h"
#include "network/topology/builders/cluster_graph.h"
#include "network/topology/topology.h"

namespace orrery {

struct WrittenNode {
  std::string name;
  NodeKind kind = NodeKind::switched;
};
struct WrittenLink {
  std::string from, to;  // names of nodes
  Wire wire;
  std::int32_t cost = 1;
  bool one_way = false;  // else there is one back, too
};
struct WrittenGraph {
  std::vector<WrittenNode> nodes;  // NPUs in the order of their ranks
  std::vector<WrittenLink> links;
  // How the NPUs are grouped into levels, innermost first: sizes that multiply to their number.
  // Empty: one level.
  std::vector<std::int32_t> groups;
  bool npus_forward = false;  // they forward messages of others
};

SpecProblems problems_of(const WrittenGraph& graph);
TopologySpec build_graph(const WrittenGraph& graph);  // REQUIRES: problems_of() finds none

}  // namespace orrery
