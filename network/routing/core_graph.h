// The part of a graph that routes have to be searched in.
//
// Most nodes of a cluster are stubs: an NPU that forwards nothing, and a NIC or node switch with at
// most one neighbour that forwards. A path runs through stubs only next to its ends; the rest is
// the core. In a fat tree of 65,536 hosts and as many NICs that is 5,120 switches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

using CoreNode = std::uint32_t;  // index among the core nodes
inline constexpr CoreNode no_core_node = 0xffff'ffff;

struct CoreEdge {
  LinkIndex link;
  CoreNode far;  // where a forward edge leads, where a backward edge comes from
  std::uint32_t cost;
};

class CoreGraph {
 public:
  // REQUIRES: topology outlives this.
  explicit CoreGraph(const Topology& topology);

  std::size_t size() const { return nodes_.size(); }
  NodeId node(CoreNode core) const { return nodes_[core]; }
  CoreNode core(NodeId node) const { return core_of_[node.value]; }  // no_core_node of a stub
  bool next_to_core(NodeId stub) const { return next_to_core_[stub.value]; }

  std::span<const CoreEdge> edges(CoreNode from) const { return edges_.at(from); }
  std::span<const CoreEdge> back_edges(CoreNode to) const { return back_edges_.at(to); }
  std::uint32_t greatest_cost() const { return greatest_cost_; }  // of any link; at least 1

  // The links that leave a node and those that reach it; for stubs, too.
  std::span<const LinkIndex> links_from(NodeId node) const { return from_.at(node.value); }
  std::span<const LinkIndex> links_to(NodeId node) const { return to_.at(node.value); }

  // Core nodes that a stub hangs on; all if there is none. Where Valiant routing turns.
  std::span<const NodeId> access_nodes() const { return access_nodes_; }

 private:
  // Lists one after the other, found by number.
  template <class T>
  struct Lists {
    std::vector<std::uint32_t> first{0};
    std::vector<T> all;
    std::span<const T> at(std::size_t list) const {
      return std::span(all).subspan(first[list], first[list + 1] - first[list]);
    }
    void close() { first.push_back(static_cast<std::uint32_t>(all.size())); }
  };

  static Lists<LinkIndex> links_by(const Topology& topology, NodeId Link::*end);
  void find_core(const Topology& topology);
  void find_edges(const Topology& topology);

  Lists<LinkIndex> from_, to_;
  std::vector<CoreNode> core_of_;
  std::vector<bool> next_to_core_;
  std::vector<NodeId> nodes_, access_nodes_;
  Lists<CoreEdge> edges_, back_edges_;
  std::uint32_t greatest_cost_ = 1;
};

}  // namespace orrery
