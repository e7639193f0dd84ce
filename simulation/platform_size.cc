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

}  // namespace

SpecProblems keep_ranks(TopologySpec& topology, std::int32_t ranks, std::string_view said) {
  const bool is_option = said.starts_with("--");
  const std::string key(is_option ? "topology" : said);
  const std::string given =
      is_option ? fmt::format("{} {}", said, ranks) : fmt::format("{}: {}", said, ranks);
  std::vector<LevelSpec> kept;
  std::string whole_groups = "whole groups of";
  std::int32_t left = ranks;
  for (const LevelSpec& level : topology.levels) {
    whole_groups += fmt::format("{} {}", kept.empty() ? "" : ",", level.size);
    kept.push_back(level);
    kept.back().size = std::min(left, level.size);
    if (left <= level.size || left % level.size != 0) break;
    left /= level.size;
  }
  const std::int32_t npus = facts_of(topology).npus;
  if (ranks < 2 || ranks > npus) {
    return {{key, fmt::format("{}: the platform has {} NPUs", given, npus),
             "name 2 or more, at most all of them, or give a level another size with --set"}};
  }
  if (facts_of({kept}).npus != ranks) {
    return {{key, fmt::format("{} does not fill {}", given, whole_groups),
             "a smaller platform has inner groups as full as the whole one"}};
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
