#include "simulation/platform_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/problems.h"
#include "workload/platform_facts.h"

namespace orrery {

using std::string_view_literals::operator""sv;

namespace {

// The graph without the NPUs from `npus` on; switches and NICs stay.
std::shared_ptr<const GraphSpec> first_npus(const GraphSpec& graph, std::int32_t npus,
                                            std::size_t levels) {
  GraphSpec kept;
  kept.npus_forward = graph.npus_forward;
  std::vector<std::int32_t> place(graph.nodes.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == NodeKind::npu && static_cast<std::int32_t>(i) >= npus) continue;
    place[i] = static_cast<std::int32_t>(kept.nodes.size());
    kept.nodes.push_back(graph.nodes[i]);
  }
  for (Link link : graph.links) {
    link.from.value = place[link.from.value];
    link.to.value = place[link.to.value];
    if (link.from.value < 0 || link.to.value < 0) continue;
    link.level = std::min(link.level, static_cast<std::int32_t>(levels) - 1);
    kept.links.push_back(link);
  }
  return std::make_shared<const GraphSpec>(std::move(kept));
}

// Inner groups as full as before; not `ranks` in all if those do not fill them.
std::vector<LevelSpec> first_levels(const std::vector<LevelSpec>& levels, std::int32_t ranks) {
  std::vector<LevelSpec> kept;
  for (const LevelSpec& level : levels) {
    kept.push_back(level);
    kept.back().size = std::min(ranks, level.size);
    if (ranks <= level.size || ranks % level.size != 0) break;
    ranks /= level.size;
  }
  return kept;
}

// The numbers nearest to `ranks` that fill inner groups: "8 or 16".
std::string nearest_sizes(const std::vector<LevelSpec>& levels, std::int32_t ranks) {
  const auto fills = [&](std::int32_t count) {
    return facts_of({first_levels(levels, count)}).npus == count;
  };
  std::int32_t less = ranks, more = ranks;
  while (!fills(less)) --less;  // 2 fill any
  while (!fills(more)) ++more;  // at most those of the whole platform
  return fmt::format("{} or {}", less, more);
}

// "leaf12" is a leaf, "n0.switch" a switch.
std::string kind_of_name(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  return std::string(name.substr(0, name.find_first_of("0123456789 ")));
}

using NameCounts = std::vector<std::pair<std::string, std::int32_t>>;

void count_name(NameCounts& counts, std::string_view switch_name) {
  const std::string name = kind_of_name(switch_name);
  const auto found = std::ranges::find(counts, name, [](const auto& count) { return count.first; });
  if (found == counts.end())
    counts.emplace_back(name, 1);
  else
    ++found->second;
}

}  // namespace

std::string switches_in_words(const Topology& topology) {
  constexpr std::size_t most = 4;
  NameCounts counts;
  for (std::int32_t node = topology.npu_count(); node < topology.node_count(); ++node)
    if (topology.node_kind({node}) == NodeKind::switched)
      count_name(counts, topology.node_name({node}));
  if (counts.size() < 2 || counts.size() > most) return "";
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text;
}

void tell_leaves_and_spines(Experiment& experiment) {
  if (experiment.topology.graph == nullptr) return;
  NameCounts counts;
  for (const GraphNode& node : experiment.topology.graph->nodes)
    if (node.kind == NodeKind::switched) count_name(counts, node.name);
  const std::string_view of_network = "platform.topology.leaf_spine.";
  for (const auto& [key, name] : {std::pair("leaves", "leaf"), std::pair("spines", "spine")}) {
    const auto found =
        std::ranges::find(counts, name, [](const auto& count) { return count.first; });
    if (found == counts.end()) continue;
    for (ResolvedValue& value : experiment.resolved)
      if (value.path == fmt::format("{}{}", of_network, key) && value.value == "none") {
        value.value = std::to_string(found->second);
        value.origin = "chosen";
        const std::string unnumbered = fmt::format("{}{}", key == "leaves"sv ? "" : "and ", key);
        if (const auto at = experiment.network_chosen.find(unnumbered); at != std::string::npos)
          experiment.network_chosen.replace(
              at + unnumbered.size() - std::string_view(key).size(), std::string_view(key).size(),
              fmt::format("{} {}", value.value, found->second == 1 ? name : key));
      }
  }
}

SpecProblems keep_ranks(TopologySpec& topology, std::int32_t ranks, std::string_view said) {
  const bool is_option = said.starts_with("--");
  const std::string key(is_option ? "topology" : said);
  const std::string given =
      is_option ? fmt::format("{} {}", said, ranks) : fmt::format("{}: {}", said, ranks);
  std::vector<LevelSpec> kept = first_levels(topology.levels, ranks);
  std::string whole_groups = "whole groups of";
  for (std::size_t i = 0; i < kept.size(); ++i)
    whole_groups += fmt::format("{} {}", i > 0 ? "," : "", topology.levels[i].size);
  const std::int32_t npus = facts_of(topology).npus;
  if (ranks < 2 || ranks > npus) {
    return {{key, fmt::format("{}: the platform has {} NPUs", given, npus),
             "name 2 or more, at most all of them, or give a level another size with --set"}};
  }
  if (facts_of({kept}).npus != ranks) {
    return {{key, fmt::format("{} does not fill {}", given, whole_groups),
             fmt::format("a smaller platform has inner groups as full as the whole one: write {}",
                         nearest_sizes(topology.levels, ranks))}};
  }
  if (topology.graph != nullptr) topology.graph = first_npus(*topology.graph, ranks, kept.size());
  topology.levels = std::move(kept);
  return {};
}

SpecProblems resize(TopologySpec& topology, std::int32_t ranks) {
  const std::int32_t npus = facts_of(topology).npus;
  if (ranks <= npus) return keep_ranks(topology, ranks, "ranks");
  LevelSpec& outermost = topology.levels.back();
  const std::int32_t inner = npus / outermost.size;
  if (topology.graph != nullptr)
    return {{"ranks", fmt::format("ranks: {}: the network has {} NPUs", ranks, npus),
             "a network of nodes and links does not grow by itself: give its builder "
             "more switches or nodes"}};
  if (ranks % inner != 0)
    return {{"ranks", fmt::format("ranks: {} are not whole groups of {}", ranks, inner),
             fmt::format("write a multiple of {}", inner)}};
  outermost.size = ranks / inner;
  return problems_of(topology);
}

}  // namespace orrery
