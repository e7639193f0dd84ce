// Graphs small enough to see every path, and what every path must be.
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "network/routing/router.h"
#include "network/topology/topology.h"

namespace orrery::test {

class GraphMaker {
 public:
  explicit GraphMaker(std::int32_t npus, std::int32_t nics = 0, std::int32_t switches = 0)
      : npus_(npus) {
    graph_.nodes.resize(static_cast<std::size_t>(npus), {NodeKind::npu, ""});
    graph_.nodes.resize(static_cast<std::size_t>(npus + nics), {NodeKind::nic, ""});
    graph_.nodes.resize(static_cast<std::size_t>(npus + nics + switches), {NodeKind::switched, ""});
  }

  // A link in each direction, of 100 ns.
  GraphMaker& join(std::int32_t a, std::int32_t b, Bandwidth rate = gigabytes_per_second(1),
                   std::int32_t cost = 1) {
    for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
      graph_.links.push_back({{from}, {to}, 0, rate, nanoseconds(100), cost});
    return *this;
  }
  GraphMaker& let_npus_forward() { return graph_.npus_forward = true, *this; }

  TopologySpec spec() const {
    return {{{"", LevelKind::graph, npus_, gigabytes_per_second(1), {}, Scope::scale_out}},
            std::make_shared<const GraphSpec>(graph_)};
  }

 private:
  std::int32_t npus_;
  GraphSpec graph_;
};

// `leaves` leaf switches with `hosts` NPUs each, and `spines` spines. Nodes in that order: NPUs,
// leaves, spines.
inline TopologySpec two_tiers(std::int32_t leaves, std::int32_t hosts, std::int32_t spines) {
  const std::int32_t npus = leaves * hosts;
  GraphMaker maker(npus, 0, leaves + spines);
  for (std::int32_t npu = 0; npu < npus; ++npu) maker.join(npu, npus + npu / hosts);
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf)
    for (std::int32_t spine = 0; spine < spines; ++spine)
      maker.join(npus + leaf, npus + leaves + spine);
  return maker.spec();
}

// Each link begins where the last one ended, the ends are right, and no node is met twice.
inline bool is_path(const Topology& topology, NodeId from, NodeId to,
                    const std::vector<LinkIndex>& links) {
  std::set<NodeId> met{from};
  NodeId here = from;
  for (const LinkIndex i : links) {
    const Link& link = topology.links()[i];
    if (link.from != here || !met.insert(link.to).second) return false;
    here = link.to;
  }
  return here == to;
}

inline std::vector<LinkIndex> path(Router& router, std::int32_t from, std::int32_t to,
                                   std::uint64_t flow = 0) {
  std::vector<LinkIndex> links;
  if (!router.path({from}, {to}, flow, links)) return {};
  return links;
}

}  // namespace orrery::test
