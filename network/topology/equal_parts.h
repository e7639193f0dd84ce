// Nodes and links of a topology that are equal, as one: for pictures of what is too large to draw
// node by node. (network/link_classes.h has links that carry equal loads.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

// Nodes that no count of equal neighbours over equal links tells apart.
struct EqualNodes {
  NodeKind kind = NodeKind::npu;
  std::int32_t count = 0;
  NodeId first;
};

// All links of one level, bandwidth and latency from nodes of one class to those of another; each
// node of `from` sends on equally many.
struct EqualLinks {
  std::int32_t from = 0, to = 0, level = 0;  // classes, in their order
  Bandwidth bandwidth;
  Duration latency;
  std::int64_t count = 0;
};

struct EqualParts {
  std::vector<EqualNodes> nodes;       // in the order of their first nodes
  std::vector<EqualLinks> links;       // ascending
  std::vector<std::int32_t> of_nodes;  // the class of each node
  std::vector<std::int32_t> of_links;  // of each link
};

EqualParts equal_parts(const Topology& topology);

// "64 NPUs: npu 0, ..."; the name of the node if there is one.
std::string text_of(const Topology& topology, const EqualNodes& nodes);

}  // namespace orrery
