// Nodes of a topology that are equal, as one: for pictures of what is too large to draw node by
// node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

// Nodes that no count of equal neighbours over equal links tells apart.
struct NodeClass {
  NodeKind kind = NodeKind::npu;
  std::int32_t count = 0;
  NodeId first;
};

// All links of one level, bandwidth and latency from nodes of one class to those of another; each
// node of `from` sends on equally many.
struct ClassLink {
  std::int32_t from = 0, to = 0, level = 0;  // classes, in their order
  Bandwidth bandwidth;
  Duration latency;
  std::int64_t count = 0;
};

struct TopologyClasses {
  std::vector<NodeClass> nodes;  // in the order of their first nodes
  std::vector<ClassLink> links;
};

TopologyClasses classes_of(const Topology& topology);

// NPUs at the bottom, what is joined to them above, and so on; each class is a box with its number.
std::string classes_svg(const Topology& topology, const TopologyClasses& classes,
                        const std::string& title);

}  // namespace orrery
