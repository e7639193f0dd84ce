#include "network/routing/core_graph.h"

#include <algorithm>
#include <utility>

namespace orrery {

CoreGraph::CoreGraph(const Topology& topology)
    : from_(links_by(topology, &Link::from)), to_(links_by(topology, &Link::to)) {
  for (const Link& link : topology.links())
    greatest_cost_ = std::max(greatest_cost_, static_cast<std::uint32_t>(link.cost));
  find_core(topology);
  find_edges(topology);
}

CoreGraph::Lists<LinkIndex> CoreGraph::links_by(const Topology& topology, NodeId Link::*end) {
  const std::span<const Link> links = topology.links();
  Lists<LinkIndex> lists;
  lists.first.assign(static_cast<std::size_t>(topology.node_count()) + 1, 0);
  for (const Link& link : links) ++lists.first[(link.*end).value + 1];
  for (std::size_t node = 1; node < lists.first.size(); ++node)
    lists.first[node] += lists.first[node - 1];
  std::vector<std::uint32_t> next(lists.first);
  lists.all.resize(links.size());
  for (LinkIndex i = 0; i < links.size(); ++i) lists.all[next[(links[i].*end).value]++] = i;
  return lists;
}

// Of two nodes that have no other forwarding neighbour than each other both are core.
void CoreGraph::find_core(const Topology& topology) {
  const auto nodes = static_cast<std::size_t>(topology.node_count());
  constexpr std::int32_t none = -1, several = -2;
  std::vector<std::int32_t> neighbour(nodes, none);  // the only one that forwards
  for (const Link& link : topology.links()) {
    if (!topology.forwards(link.from) || !topology.forwards(link.to)) continue;
    for (const auto& [node, other] : {std::pair{link.from, link.to}, {link.to, link.from}}) {
      std::int32_t& only = neighbour[node.value];
      if (only != other.value) only = only == none ? other.value : several;
    }
  }
  core_of_.assign(nodes, no_core_node);
  next_to_core_.assign(nodes, false);
  for (std::int32_t node = 0; node < topology.node_count(); ++node) {
    const std::int32_t only = neighbour[node];
    if (!topology.forwards({node}) || only == none) continue;
    if (only != several && neighbour[only] == several) {
      next_to_core_[node] = true;
      continue;
    }
    core_of_[node] = static_cast<CoreNode>(nodes_.size());
    nodes_.push_back({node});
  }
}

void CoreGraph::find_edges(const Topology& topology) {
  for (const NodeId node : nodes_) {
    bool has_stub = false;
    const auto add = [&](Lists<CoreEdge>& edges, LinkIndex i, NodeId far) {
      const CoreNode there = core(far);
      if (there == no_core_node) return void(has_stub = true);
      edges.all.push_back({i, there, static_cast<std::uint32_t>(topology.links()[i].cost)});
    };
    for (const LinkIndex i : links_from(node)) add(edges_, i, topology.links()[i].to);
    for (const LinkIndex i : links_to(node)) add(back_edges_, i, topology.links()[i].from);
    edges_.close();
    back_edges_.close();
    if (has_stub) access_nodes_.push_back(node);
  }
  if (access_nodes_.empty()) access_nodes_ = nodes_;
}

}  // namespace orrery
