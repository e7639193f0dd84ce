#include "network/topology/builders/tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

std::vector<TreeTier> tiers_by_radix(std::int32_t radix, std::int32_t count,
                                     const std::vector<std::int32_t>& oversubscription,
                                     const Wire& wire) {
  static constexpr const char* names[] = {"leaf", "spine", "core"};
  std::vector<TreeTier> tiers;
  for (std::int32_t t = 0; t < count; ++t) {
    const bool top = t + 1 == count;
    const auto given = static_cast<std::size_t>(t) < oversubscription.size();
    const std::int32_t ratio = given ? oversubscription[t] : 1;
    const std::int32_t up = top ? 0 : radix / (ratio + 1);
    CHECK(top || up * (ratio + 1) == radix, "{} ports as {}:1", radix, ratio);
    tiers.push_back({t < 3 ? names[t] : fmt::format("tier{}", t + 1), radix - up, up, wire});
  }
  return tiers;
}

std::int64_t plugs_of(const std::vector<TreeTier>& tiers) {
  std::int64_t plugs = 1;
  for (const TreeTier& tier : tiers) plugs *= tier.down;
  return plugs;
}

std::optional<SpecProblem> problem_of(const TreeSpec& spec) {
  if (auto problem = problem_of(spec.node)) return problem;
  std::int64_t plugs = 1, switches = 1, links = 0;
  constexpr std::int64_t at_most = 1 << 26;
  for (const TreeTier& tier : spec.tiers) {
    plugs *= tier.down;
    links += plugs;
    switches *= tier.up;
    if (plugs > at_most || switches > at_most || links > at_most)
      return SpecProblem{"", "more than 67 million links", "take fewer ports or tiers"};
  }
  const std::int64_t fit = plugs / spec.node.plugs();
  if (spec.nodes > fit)
    return SpecProblem{"nodes",
                       fmt::format("{} nodes of {} plugs do not fit into {} ports", spec.nodes,
                                   spec.node.plugs(), plugs),
                       fmt::format("at most {} do", fit)};
  return problem_of(spec.node, spec.nodes > 0 ? spec.nodes : fit, links);
}

TopologySpec build_tree(const TreeSpec& spec) {
  CHECK(!problem_of(spec) && !spec.tiers.empty(), "{} tiers", spec.tiers.size());
  const std::int32_t plugs_each = spec.node.plugs();
  const std::int64_t fit = plugs_of(spec.tiers) / plugs_each;
  const auto nodes = static_cast<std::int32_t>(spec.nodes > 0 ? spec.nodes : fit);
  ClusterGraph graph(spec.node, nodes);
  // The tops of the subtrees of the tier below, subtree by subtree; at first the plugs.
  std::vector<NodeId> below;
  for (std::int32_t i = 0; i < nodes * plugs_each; ++i) below.push_back(graph.plug(i));
  std::int64_t tops = 1;  // of one subtree below
  std::int32_t tier = 0, up = 1;
  std::vector<ClusterGraph::Tier> levels;
  for (const TreeTier& now : spec.tiers) {
    ++tier;
    const auto subtrees = static_cast<std::int64_t>(below.size()) / tops;
    const std::int64_t groups = (subtrees + now.down - 1) / now.down;
    const std::int64_t switches = tops * up;  // at the top of a group
    std::vector<NodeId> here;
    for (std::int64_t s = 0; s < groups * switches; ++s)
      here.push_back(graph.add_switch(fmt::format("{}{}", now.name, s)));
    for (std::int64_t subtree = 0; subtree < subtrees; ++subtree)
      for (std::int64_t top = 0; top < tops; ++top)
        for (std::int32_t u = 0; u < up; ++u)
          graph.join(below[subtree * tops + top],
                     here[subtree / now.down * switches + top * up + u], now.wire, tier);
    const bool whole_nodes = tier > 1 || now.down % plugs_each == 0;
    std::int64_t size = tier == 1 ? now.down / plugs_each : now.down;
    if (groups == 1) size = tier == 1 ? nodes : subtrees;
    levels.push_back({now.name, whole_nodes ? size : 0});
    below = std::move(here);
    tops = switches;
    up = now.up;
  }
  return std::move(graph).finish(std::move(levels), spec.tiers.front().wire);
}

namespace {

// REQUIRES: rule_of_ports() finds no problem.
TreeSpec tree_of(const FatTreeSpec& spec) {
  TreeSpec tree{spec.node, tiers_by_radix(spec.radix, spec.tiers, spec.oversubscription, {}),
                spec.nodes};
  for (std::size_t t = 0; t < tree.tiers.size(); ++t)
    tree.tiers[t].wire = {one_for_each(spec.bandwidth, t), spec.latency};
  return tree;
}

std::optional<SpecProblem> rule_of_ports(const FatTreeSpec& spec) {
  const auto tiers = static_cast<std::size_t>(spec.tiers);
  if (auto problem = problem_of_count("bandwidth", spec.bandwidth.size(), tiers, "tiers"))
    return problem;
  if (spec.oversubscription.size() >= tiers)
    return SpecProblem{"oversubscription",
                       fmt::format("{} ratios for {} tiers", spec.oversubscription.size(), tiers),
                       "the topmost tier has no links up: write one less at most"};
  for (std::size_t t = 0; t + 1 < tiers; ++t) {
    const std::int32_t ratio = t < spec.oversubscription.size() ? spec.oversubscription[t] : 1;
    if (spec.radix % (ratio + 1) != 0)
      return SpecProblem{"radix",
                         fmt::format("{} ports cannot be {} down for 1 up", spec.radix, ratio),
                         fmt::format("make it a multiple of {}", ratio + 1)};
  }
  return std::nullopt;
}

TreeSpec tree_of(const LeafSpineSpec& spec) {
  const Wire up{spec.uplink.value_or(spec.wire.bandwidth), spec.wire.latency};
  return {spec.node,
          {{"leaf", spec.plugs, spec.spines, spec.wire}, {"spine", spec.leaves, 1, up}},
          spec.nodes};
}

}  // namespace

std::optional<SpecProblem> problem_of(const FatTreeSpec& spec) {
  if (auto problem = rule_of_ports(spec)) return problem;
  return problem_of(tree_of(spec));
}

TopologySpec build_fat_tree(const FatTreeSpec& spec) { return build_tree(tree_of(spec)); }

std::optional<SpecProblem> problem_of(const LeafSpineSpec& spec) {
  return problem_of(tree_of(spec));
}

TopologySpec build_leaf_spine(const LeafSpineSpec& spec) { return build_tree(tree_of(spec)); }

}  // namespace orrery
