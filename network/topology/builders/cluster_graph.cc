#include "network/topology/builders/cluster_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/units/unit_text.h"
#include "network/topology/memory_needed.h"

namespace orrery {
namespace {

// A way NPU - NIC - NPU or NPU - leaf - NPU must not compete with the inside of the node: what
// leads out of it costs more.
constexpr std::int32_t way_out_cost = 2;

}  // namespace

std::string_view name_of(NodeInside inside) {
  switch (inside) {
    case NodeInside::none:
      return "none";
    case NodeInside::switched:
      return "switch";
    case NodeInside::fully_connected:
      return "fully_connected";
  }
  return "?";
}

std::optional<SpecProblem> problem_of_count(std::string_view key, std::size_t given,
                                            std::size_t count, std::string_view things) {
  if (given == 1 || given == count) return std::nullopt;
  return SpecProblem{std::string(key), fmt::format("{} values for {} {}", given, count, things),
                     "write one for all, or one for each"};
}

namespace {

// Of servers without NVLink the bus is all that joins their NPUs.
std::string inside_remedy(const NodeSpec& node) {
  if (node.nics == 0) return "write for example bandwidth: 300 GB/s";
  const std::string bus =
      node.bus.bandwidth > Bandwidth{} ? exact_text(node.bus.bandwidth) : "32 GB/s";
  return fmt::format(
      "write that of NVLink if they have it, bandwidth: {} if they meet over PCIe, or inside: none "
      "if they meet through their NICs only",
      bus);
}

}  // namespace

std::optional<SpecProblem> problem_of(const NodeSpec& node) {
  if (!node.affinity.empty()) {
    if (node.nics == 0)
      return SpecProblem{"affinity", "there are no NICs", "write nics: N, or remove the affinity"};
    if (static_cast<std::int32_t>(node.affinity.size()) != node.npus)
      return SpecProblem{"affinity",
                         fmt::format("{} NICs for {} NPUs", node.affinity.size(), node.npus),
                         "write the NIC of each NPU, for example [0, 0, 1, 1]"};
    for (const std::int32_t nic : node.affinity)
      if (nic < 0 || nic >= node.nics)
        return SpecProblem{"affinity", fmt::format("there is no NIC {}", nic),
                           fmt::format("they are numbered 0 to {}", node.nics - 1)};
  } else if (node.nics > node.npus) {
    return SpecProblem{
        "nics", fmt::format("{} NICs for {} NPUs", node.nics, node.npus),
        fmt::format("several NICs of one NPU are one of their summed bandwidth here: write nic: "
                    "{1}x{2:g} Gb/s instead of {0}x400 Gb/s, for example, or nics: {1} in a node",
                    node.nics, node.npus, 400.0 * node.nics / node.npus)};
  }
  if (node.npus > 1 && node.inside != NodeInside::none && node.link.bandwidth.value <= 0)
    return SpecProblem{"bandwidth", "the links inside the node have none", inside_remedy(node)};
  if (node.nics > 0 && node.bus.bandwidth.value <= 0)
    return SpecProblem{"bus_bandwidth", "the links between NPUs and NICs have none",
                       "write for example bus_bandwidth: 32 GB/s"};
  return std::nullopt;
}

std::optional<SpecProblem> problem_of(const NodeSpec& node, std::int64_t nodes,
                                      std::int64_t fabric_links) {
  constexpr std::int64_t most_npus = 1 << 24, most_links = 1 << 26;  // 2.7 GB of Link
  if (auto problem = problem_of(node)) return problem;
  const std::int64_t npus = nodes * node.npus;
  if (npus < 2) return SpecProblem{"", "that is less than two NPUs", "take more ports or nodes"};
  if (npus > most_npus)
    return SpecProblem{"", fmt::format("{} NPUs", npus), fmt::format("at most {}", most_npus)};
  const std::int64_t inside =
      node.inside == NodeInside::fully_connected ? std::int64_t{node.npus} - 1 : 2;
  if (npus * (inside + 2) + 2 * (nodes * node.plugs() + fabric_links) > most_links)
    return SpecProblem{"", fmt::format("more than {} links", most_links),
                       "make the network smaller"};
  const std::int64_t links = 2 * (nodes * node.plugs() + fabric_links);  // at least
  if (const std::string why = why_no_memory(npus, links); !why.empty())
    return SpecProblem{"", why, "make the network smaller, or use a machine with more memory"};
  return std::nullopt;
}

// 8 NPUs with 7 NICs: two of one NIC would take twice as long as the others. A library lays its
// channels evenly over the NICs of a server, through other NPUs where it has to (PXN of NCCL).
static bool takes_all_nics(const NodeSpec& node) {
  return node.affinity.empty() && node.nics > 0 && node.npus % node.nics != 0;
}

ClusterGraph::ClusterGraph(const NodeSpec& node, std::int32_t nodes)
    : node_(node), nodes_(nodes), plugs_(node.plugs()) {
  CHECK(!problem_of(node) && nodes >= 1, "{} nodes", nodes);
  const bool alone = node.npus == 1;
  for (std::int32_t n = 0; n < nodes; ++n)
    for (std::int32_t i = 0; i < node.npus; ++i)
      graph_.nodes.push_back(
          {NodeKind::npu, alone ? fmt::format("npu{}", n) : fmt::format("n{}.npu{}", n, i)});
  for (std::int32_t n = 0; n < nodes; ++n)
    for (std::int32_t i = 0; i < node.nics; ++i)
      graph_.nodes.push_back({NodeKind::nic, fmt::format("n{}.nic{}", n, i)});
  for (std::int32_t n = 0; n < nodes; ++n) {
    const NodeId first{n * node.npus};
    if (node.inside == NodeInside::switched && !alone) {
      const NodeId inside = add_switch(fmt::format("n{}.switch", n));
      for (std::int32_t i = 0; i < node.npus; ++i) join({first.value + i}, inside, node.link, 0);
    } else if (node.inside == NodeInside::fully_connected) {
      for (std::int32_t i = 0; i < node.npus; ++i)
        for (std::int32_t j = i + 1; j < node.npus; ++j)
          join({first.value + i}, {first.value + j}, node.link, 0);
    }
    const Wire part{Bandwidth{node.bus.bandwidth.value / std::max(1, node.nics)}, node.bus.latency};
    for (std::int32_t i = 0; i < node.npus && node.nics > 0; ++i) {
      for (std::int32_t nic = 0; takes_all_nics(node) && nic < node.nics; ++nic)
        join({first.value + i}, plug(n, nic), part, 1, way_out_cost);
      if (takes_all_nics(node)) continue;
      const std::int32_t nic = node.affinity.empty() ? i * node.nics / node.npus : node.affinity[i];
      join({first.value + i}, plug(n, nic), node.bus, 1, way_out_cost);
    }
  }
}

NodeId ClusterGraph::plug(std::int32_t node, std::int32_t plug) const {
  return {(node_.nics > 0 ? nodes_ * node_.npus : 0) + node * plugs_ + plug};
}

NodeId ClusterGraph::add_switch(std::string name) {
  graph_.nodes.push_back({NodeKind::switched, std::move(name)});
  return {static_cast<std::int32_t>(graph_.nodes.size()) - 1};
}

void ClusterGraph::join(NodeId a, NodeId b, const Wire& wire, std::int32_t tier,
                        std::int32_t cost) {
  const bool npu_plugs = node_.npus > 1 && tier > 0 && a.value < nodes_ * node_.npus;
  if (npu_plugs) cost = way_out_cost;
  graph_.links.push_back({a, b, tier, wire.bandwidth, wire.latency, cost});
  graph_.links.push_back({b, a, tier, wire.bandwidth, wire.latency, cost});
}

TopologySpec ClusterGraph::finish(std::vector<Tier> tiers, const Wire& plugged) && {
  std::int64_t product = 1;
  for (const Tier& tier : tiers) product *= tier.size;
  const std::int64_t inside = node_.npus;
  if (product != nodes_) {
    const auto joins = [](const Tier& tier) { return tier.size != 1; };
    const auto outermost = std::find_if(tiers.rbegin(), tiers.rend(), joins);
    const auto all = outermost == tiers.rend() ? tiers.rbegin() : outermost;
    for (Tier& tier : tiers) tier.size = 1;
    all->size = nodes_;
  }
  tiers.insert(tiers.begin(), {"node", inside});
  const Duration in = node_.nics > 0 ? node_.bus.latency : Duration{};
  Bandwidth out = plugged.bandwidth;
  if (node_.nics > 0) out = std::min(out, node_.bus.bandwidth);
  TopologySpec spec;
  std::vector<std::int32_t> level_of;
  for (std::size_t t = 0; t < tiers.size(); ++t) {
    level_of.push_back(static_cast<std::int32_t>(spec.levels.size()));
    if (tiers[t].size < 2) continue;
    const bool local = t == 0 && node_.inside != NodeInside::none;
    const bool through_switch = node_.inside == NodeInside::switched;
    spec.levels.push_back(
        {tiers[t].name, LevelKind::graph, static_cast<std::int32_t>(tiers[t].size),
         local ? node_.link.bandwidth * (through_switch ? 1 : inside - 1) : out,
         local ? node_.link.latency * (through_switch ? 2 : 1) : (in + plugged.latency) * 2,
         t == 0 ? Scope::local : Scope::scale_out});
  }
  const auto last = static_cast<std::int32_t>(spec.levels.size()) - 1;
  for (Link& link : graph_.links) link.level = std::min(level_of[link.level], last);
  spec.graph = std::make_shared<const GraphSpec>(std::move(graph_));
  return spec;
}

}  // namespace orrery
