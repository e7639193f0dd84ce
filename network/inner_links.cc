#include "network/inner_links.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace orrery {

namespace {

class Survey {
 public:
  explicit Survey(const GraphSpec& graph) : graph_(graph), nodes_(graph.nodes.size()) {
    for (const Link& link : graph.links) {
      if (is(link.from, NodeKind::npu) && is(link.to, NodeKind::nic)) {
        Node& nic = nodes_[link.to.value];
        ++nic.npus;
        nic.slowest_npu = std::min(nic.slowest_npu, link.bandwidth);
        nic.all_npus += as_number(link.bandwidth);
      }
    }
  }

  InnerLinks::Kind kind() const {
    if (graph_.npus_forward) return InnerLinks::Kind::at_npus;
    InnerLinks::Kind kind = InnerLinks::Kind::none;
    for (const Link& link : graph_.links) {
      if (is(link.from, NodeKind::npu) || is(link.to, NodeKind::npu)) continue;
      const bool leaves_nic = is(link.from, NodeKind::nic);
      if (leaves_nic == is(link.to, NodeKind::nic)) return InnerLinks::Kind::at_switches;
      if (!is_port(nodes_[(leaves_nic ? link.from : link.to).value], link.bandwidth))
        kind = InnerLinks::Kind::at_nics;
    }
    return kind == InnerLinks::Kind::none && ports_differ() ? InnerLinks::Kind::unequal : kind;
  }

  void add_taper(const TopologySpec& topology, InnerLinks& inner) {
    measure_distances();
    for (const Link& link : graph_.links) {
      Node &from = nodes_[link.from.value], &to = nodes_[link.to.value];
      if (to.distance <= from.distance || !is(link.to, NodeKind::switched)) continue;
      to.below += as_number(link.bandwidth);
      from.above += as_number(link.bandwidth);
      from.level = link.level;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (graph_.nodes[i].kind != NodeKind::switched || node.above == 0) continue;
      if (node.below <= inner.taper * node.above) continue;
      inner.taper = node.below / node.above;
      inner.level = topology.levels[node.level].name;
    }
  }

 private:
  struct Node {
    std::int32_t npus = 0;  // of a NIC
    Bandwidth slowest_npu{std::numeric_limits<std::int64_t>::max()};
    double all_npus = 0;
    std::int32_t distance = -1;  // in links from the nearest NPU
    double below = 0, above = 0;
    std::int32_t level = 0;  // of the links upwards
  };

  // Whether links from switches to NPUs, or to NICs, have several bandwidths on a level.
  bool ports_differ() const {
    std::map<std::pair<NodeKind, std::int32_t>, Bandwidth> ports;
    return std::ranges::any_of(graph_.links, [&](const Link& link) {
      if (!is(link.from, NodeKind::switched)) return false;
      const NodeKind to = graph_.nodes[link.to.value].kind;
      return ports.try_emplace({to, link.level}, link.bandwidth).first->second != link.bandwidth;
    });
  }

  static double as_number(Bandwidth bandwidth) { return static_cast<double>(bandwidth.value); }
  bool is(NodeId node, NodeKind kind) const { return graph_.nodes[node.value].kind == kind; }

  // Whether analytical reserves this link of the NIC, or it can carry what all its NPUs send.
  static bool is_port(const Node& nic, Bandwidth bandwidth) {
    return nic.npus <= 1 || bandwidth <= nic.slowest_npu || as_number(bandwidth) >= nic.all_npus;
  }

  void measure_distances() {
    std::vector<std::vector<std::int32_t>> next(nodes_.size());
    for (const Link& link : graph_.links) next[link.from.value].push_back(link.to.value);
    std::vector<std::int32_t> reached;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (graph_.nodes[i].kind == NodeKind::npu) {
        nodes_[i].distance = 0;
        reached.push_back(static_cast<std::int32_t>(i));
      }
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const std::int32_t node : next[reached[i]])
        if (nodes_[node].distance < 0) {
          nodes_[node].distance = nodes_[reached[i]].distance + 1;
          reached.push_back(node);
        }
  }

  const GraphSpec& graph_;
  std::vector<Node> nodes_;
};

}  // namespace

bool has_inner_links(const LevelSpec& level) {
  return (level.kind == LevelKind::ring && level.size > 3) ||
         (level.kind == LevelKind::mesh && level.size > 2);
}

InnerLinks inner_links(const TopologySpec& topology) {
  InnerLinks inner;
  if (topology.graph == nullptr) return inner;
  Survey survey(*topology.graph);
  inner.kind = survey.kind();
  if (inner.kind == InnerLinks::Kind::at_switches) survey.add_taper(topology, inner);
  return inner;
}

}  // namespace orrery
