// Nodes and directed links, as plain data: what a topology is made of when levels do not say it.
//
// Nodes 0 .. n-1 are the NPUs, in the order of their ranks; NICs and switches follow in any order.
// NICs and switches pass on what is not for them; NPUs do only where `npus_forward` says so, as in
// a torus without switches. Two links may join the same pair of nodes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// Index into the nodes of a topology.
struct NodeId {
  std::int32_t value = 0;
  constexpr auto operator<=>(const NodeId&) const = default;
};

using LinkIndex = std::uint32_t;  // into Topology::links()

struct Link {
  NodeId from, to;
  std::int32_t level = 0;  // of the topology's levels: what its bytes are counted under
  Bandwidth bandwidth;
  Duration latency;
  // What routes minimise the sum of (as OSPF's metric); 1 .. 1000. With 1 everywhere the shortest
  // path is that of the fewest links.
  std::int32_t cost = 1;
};

enum class NodeKind : std::uint8_t { npu, nic, switched };
std::string_view name_of(NodeKind kind);  // "npu", "nic", "switch"

struct GraphNode {
  NodeKind kind = NodeKind::switched;
  std::string name;  // for reports, faults and static routes; "" = kind and index, "switch 17"
};

struct GraphSpec {
  std::vector<GraphNode> nodes;
  std::vector<Link> links;
  bool npus_forward = false;
};

}  // namespace orrery
