#include "network/topology/builders/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/units/unit_text.h"

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
  const auto ratio_of = [&](std::size_t t) -> std::int64_t {
    return t < spec.oversubscription.size() ? spec.oversubscription[t] : 1;
  };
  constexpr std::int64_t most_ports = 1 << 20;
  std::int64_t divisor = 1;  // of a radix that all tiers divide
  std::int64_t wrong = 0;    // the ratio of the first tier that does not
  for (std::size_t t = 0; t + 1 < tiers; ++t) {
    if (wrong == 0 && spec.radix % (ratio_of(t) + 1) != 0) wrong = ratio_of(t);
    if (divisor < most_ports) divisor = std::lcm(divisor, ratio_of(t) + 1);
  }
  if (wrong == 0) return std::nullopt;
  return SpecProblem{"radix", fmt::format("{} ports cannot be {} down for 1 up", spec.radix, wrong),
                     fmt::format("make it a multiple of {}, for example {} (without it, it is {})",
                                 divisor, (spec.radix / divisor + 1) * divisor, usual_ports)};
}

// Uplinks that a leaf with so many ports towards servers needs.
double exact_uplinks(const LeafSpineSpec& spec, std::int64_t plugs) {
  return static_cast<double>(plugs) * static_cast<double>(spec.wire.bandwidth.value) /
         spec.oversubscription.value_or(1) /
         static_cast<double>(spec.uplink.value_or(spec.wire.bandwidth).value);
}

// None if that is no whole number.
std::optional<std::int64_t> uplinks_for(const LeafSpineSpec& spec, std::int64_t plugs) {
  const double exact = exact_uplinks(spec, plugs);
  const double whole = std::round(exact);
  if (std::abs(exact - whole) > 1e-9 * whole || whole < 1) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

std::int64_t rounded_up(double uplinks) { return static_cast<std::int64_t>(std::ceil(uplinks)); }

// A way to spread the servers over leaves, where their number is not given.
struct Leaves {
  std::int32_t servers;  // of a leaf, at most
  std::int32_t count;
  std::int64_t uplinks;
};

// With so many servers on a leaf at most; none if its ports do not suffice. Uplinks that come as no
// whole number are rounded up, or refused.
std::optional<Leaves> leaves_with(const LeafSpineSpec& spec, std::int32_t servers, bool rounded) {
  const std::int32_t count = (spec.nodes + servers - 1) / servers;
  const std::int32_t plugs =
      spec.plugs.value_or((spec.nodes + count - 1) / count * spec.node.plugs());
  std::optional<std::int64_t> uplinks =
      spec.spines ? std::int64_t{*spec.spines} : uplinks_for(spec, plugs);
  if (!uplinks && rounded) uplinks = rounded_up(exact_uplinks(spec, plugs));
  if (!uplinks || plugs + *uplinks > spec.radix) return std::nullopt;
  return Leaves{servers, count, *uplinks};
}

// The fewest leaves whose ports suffice for whole servers and uplinks; two at least where uplinks
// are oversubscribed, since one leaf needs none. Up to twice as many, if they have equally many
// servers then, as they are built, and as ranks that are alike need it to fold; their uplinks are
// rounded up then.
std::optional<Leaves> choose_leaves(const LeafSpineSpec& spec) {
  const bool tapers = spec.oversubscription.value_or(1) > 1;
  const std::int32_t fit = spec.plugs.value_or(spec.radix) / spec.node.plugs();
  const std::int32_t most = tapers ? std::min(fit, std::max(1, (spec.nodes + 1) / 2)) : fit;
  std::optional<Leaves> fewest, even, even_if_rounded;
  for (std::int32_t servers = most; servers >= 1; --servers) {
    const auto found = leaves_with(spec, servers, false);
    const bool divides = spec.nodes % servers == 0;
    if (!fewest) fewest = found;
    if (!even && divides) even = found;
    if (!even_if_rounded && divides) even_if_rounded = leaves_with(spec, servers, true);
  }
  for (const auto& leaves : {even, even_if_rounded})
    if (leaves && (!fewest || leaves->count <= 2 * fewest->count)) return leaves;
  return fewest;
}

std::optional<SpecProblem> add_leaves(LeafSpineSpec& spec) {
  if (spec.leaves) return std::nullopt;
  if (spec.nodes == 0)
    return SpecProblem{"", "the number of servers is not given",
                       "write nodes, the servers; or leaves, the leaf switches, and plugs, their "
                       "ports towards servers"};
  if (const auto leaves = choose_leaves(spec)) {
    spec.leaves = leaves->count;
    if (!spec.plugs)
      spec.plugs = (spec.nodes + leaves->count - 1) / leaves->count * spec.node.plugs();
    spec.spines = static_cast<std::int32_t>(leaves->uplinks);
    spec.oversubscription.reset();  // from now on it follows
    return std::nullopt;
  }
  LeafSpineSpec larger = spec;
  larger.radix = ports_at_most;
  const auto one_server = leaves_with(larger, 1, true);
  return SpecProblem{
      "",
      fmt::format("no leaf of {} ports has room for servers of {} and their uplinks at {}:1",
                  spec.radix, spec.node.plugs(), spec.oversubscription.value_or(1)),
      fmt::format("write leaf_spine: {{leaves: {}}}, a leaf for each server{}", spec.nodes,
                  one_server ? fmt::format(", or leaf_spine: {{radix: {}}} or more",
                                           spec.node.plugs() + one_server->uplinks)
                             : "")};
}

// Ports of a leaf towards servers, where they are not given: for whole servers.
std::optional<SpecProblem> choose_plugs(LeafSpineSpec& spec) {
  if (spec.plugs) return std::nullopt;
  if (spec.nodes == 0)
    return SpecProblem{"", "the number of servers is not given",
                       "write nodes, or plugs, the ports of a leaf towards servers"};
  const std::int64_t of_server = spec.node.plugs();
  const std::int64_t servers = (std::int64_t{spec.nodes} + *spec.leaves - 1) / *spec.leaves;
  const std::int64_t each = servers * of_server;
  if (each > ports_at_most) {
    const std::int64_t fit = std::max<std::int64_t>(1, ports_at_most / of_server);
    return SpecProblem{"leaves",
                       fmt::format("{} servers need {} ports of each leaf", spec.nodes, each),
                       fmt::format("write at least {} leaves", (spec.nodes + fit - 1) / fit)};
  }
  spec.plugs = static_cast<std::int32_t>(each);
  return std::nullopt;
}

Wire uplink_of(const LeafSpineSpec& spec) {
  return {spec.uplink.value_or(spec.wire.bandwidth), spec.wire.latency};
}

// Where they are not given, so many that the uplinks of a leaf have at least the share of its ports
// that oversubscription says: no whole number is rounded up, as whoever buys switches would.
std::optional<SpecProblem> choose_spines(LeafSpineSpec& spec) {
  if (spec.spines) return std::nullopt;
  const double exact = exact_uplinks(spec, *spec.plugs);
  if (exact > ports_at_most)
    return SpecProblem{
        "",
        fmt::format("{} ports of {} at {}:1 need {:.4g} uplinks of {}", *spec.plugs,
                    to_text(spec.wire.bandwidth), spec.oversubscription.value_or(1), exact,
                    to_text(uplink_of(spec).bandwidth)),
        fmt::format("write spines, from 1 to {}, or another number of leaves", ports_at_most)};
  const std::int64_t whole = uplinks_for(spec, *spec.plugs).value_or(rounded_up(exact));
  spec.spines = static_cast<std::int32_t>(whole);
  return std::nullopt;
}

std::optional<SpecProblem> complete(LeafSpineSpec& spec) {
  if (spec.spines && spec.oversubscription)
    return SpecProblem{"oversubscription", "it follows from plugs, spines and their bandwidths",
                       "leave it out, or leave spines out"};
  if (auto problem = add_leaves(spec)) return problem;
  if (auto problem = choose_plugs(spec)) return problem;
  return choose_spines(spec);
}

// REQUIRES: leaves, plugs and spines are there.
TreeSpec tree_of(const LeafSpineSpec& spec) {
  return {
      spec.node,
      {{"leaf", *spec.plugs, *spec.spines, spec.wire}, {"spine", *spec.leaves, 1, uplink_of(spec)}},
      spec.nodes};
}

}  // namespace

std::optional<SpecProblem> problem_of(const FatTreeSpec& spec) {
  if (auto problem = rule_of_ports(spec)) return problem;
  return problem_of(tree_of(spec));
}

TopologySpec build_fat_tree(const FatTreeSpec& spec) { return build_tree(tree_of(spec)); }

std::optional<SpecProblem> problem_of(const LeafSpineSpec& spec) {
  LeafSpineSpec whole = spec;
  if (auto problem = complete(whole)) return problem;
  return problem_of(tree_of(whole));
}

TopologySpec build_leaf_spine(const LeafSpineSpec& spec) {
  LeafSpineSpec whole = spec;
  const auto problem = complete(whole);
  CHECK(!problem, "{} servers: {}", spec.nodes, problem->what);
  return build_tree(tree_of(whole));
}

}  // namespace orrery
