// What all builders of clusters have in common: nodes with NPUs and NICs inside, and a graph that
// grows around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spec_problem.h"
#include "network/topology/topology.h"

namespace orrery {

struct Wire {
  Bandwidth bandwidth;  // in each direction
  Duration latency;
};

enum class NodeInside : std::uint8_t {
  none,             // no way from NPU to NPU inside
  switched,         // one node switch (NVSwitch), a link from every NPU
  fully_connected,  // a link between any two NPUs
};
std::string_view name_of(NodeInside inside);  // "none", "switch", "fully_connected"

// A server: NPUs, how they are joined inside, and the NICs that lead out.
struct NodeSpec {
  std::int32_t npus = 1;
  NodeInside inside = NodeInside::none;  // REQUIRES: none only with one NPU, or with NICs
  Wire link;                             // of the inside
  std::int32_t nics = 0;                 // 0: the NPUs themselves are plugged into the network
  Wire bus;                              // between an NPU and its NIC
  // The NIC of each NPU; empty: neighbours share, NPU i has NIC i * nics / npus.
  std::vector<std::int32_t> affinity;

  std::int32_t plugs() const { return nics > 0 ? nics : npus; }  // into the network
};

std::optional<SpecProblem> problem_of(const NodeSpec& node);
// The same of so many of them, with so many links between switches.
std::optional<SpecProblem> problem_of(const NodeSpec& node, std::int64_t nodes,
                                      std::int64_t fabric_links);

// A list of one stands for all; else it has one for each of `count` things.
std::optional<SpecProblem> problem_of_count(std::string_view key, std::size_t given,
                                            std::size_t count, std::string_view things);
template <class T>
const T& one_for_each(const std::vector<T>& list, std::size_t index) {
  return list.size() == 1 ? list.front() : list[index];
}

// Builds the graph of `nodes` equal servers; builders then add switches and plug the servers in.
//
// Tiers are what Link::level will say, innermost first: tier 0 is the inside of a node. A tier that
// groups only one member disappears from the levels, and its links count under the next one.
class ClusterGraph {
 public:
  ClusterGraph(const NodeSpec& node, std::int32_t nodes);

  std::int32_t nodes() const { return nodes_; }
  // Plug `plug` of a node: its NIC, or its NPU.
  NodeId plug(std::int32_t node, std::int32_t plug) const;
  // The same, counted over all nodes, node by node.
  NodeId plug(std::int32_t index) const { return plug(index / plugs_, index % plugs_); }

  NodeId add_switch(std::string name);
  // A link in each direction.
  void join(NodeId a, NodeId b, const Wire& wire, std::int32_t tier, std::int32_t cost = 1);

  // Tiers 1, 2, ... group `sizes` of the next inner ones: nodes first. They become levels if they
  // multiply to all nodes; if not, one level, of the name of the outermost, groups all nodes.
  // `plugged` is the wire that a node is plugged in with.
  struct Tier {
    std::string name;
    std::int64_t size;
  };
  TopologySpec finish(std::vector<Tier> tiers, const Wire& plugged) &&;

 private:
  NodeSpec node_;
  std::int32_t nodes_, plugs_;
  GraphSpec graph_;
};

}  // namespace orrery
