#include "network/topology/builders/written_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "network/problems.h"

namespace orrery {
namespace {

// The levels of a graph that only says how its NPUs are grouped: what an NPU can send, and the
// shortest of its links.
std::vector<LevelSpec> grouped(const GraphSpec& graph, std::int32_t npus,
                               std::vector<std::int32_t> groups) {
  std::vector<Bandwidth> out(graph.nodes.size());
  Duration least = graph.links.front().latency;
  for (const Link& link : graph.links) {
    out[link.from.value] += link.bandwidth;
    least = std::min(least, link.latency);
  }
  const Bandwidth most = *std::max_element(out.begin(), out.begin() + npus);
  if (groups.empty()) groups.push_back(npus);
  std::vector<LevelSpec> levels;
  for (std::size_t l = 0; l < groups.size(); ++l)
    levels.push_back({groups.size() == 1 ? "network" : fmt::format("level {}", l), LevelKind::graph,
                      groups[l], most, least,
                      l == 0 && groups.size() > 1 ? Scope::local : Scope::scale_out});
  return levels;
}

// From the first to the last of the NPUs below a node: groups are NPUs in a row.
struct Span {
  std::int32_t first = std::numeric_limits<std::int32_t>::max(), last = -1;

  Span operator+(const Span& other) const {
    return {std::min(first, other.first), std::max(last, other.last)};
  }
};

// Of each node its own NPUs: itself, or those of its neighbours that are nearer to NPUs. A NIC
// counts with the switches behind it, to which its links lead.
std::vector<Span> spans_of(const GraphSpec& graph, std::int32_t npus) {
  std::vector<Span> spans(graph.nodes.size());
  std::vector<std::int32_t> distance(graph.nodes.size(), -1);
  for (std::int32_t npu = 0; npu < npus; ++npu) {
    spans[npu] = {npu, npu};
    distance[npu] = 0;
  }
  bool reached = true;
  for (std::int32_t away = 0; reached; ++away) {
    reached = false;
    for (const Link& link : graph.links) {
      std::int32_t& to = distance[link.to.value];
      if (distance[link.from.value] != away || (to >= 0 && to <= away)) continue;
      to = away + 1;
      spans[link.to.value] = spans[link.to.value] + spans[link.from.value];
      reached = true;
    }
  }
  for (const Link& link : graph.links)
    if (graph.nodes[link.from.value].kind == NodeKind::nic &&
        graph.nodes[link.to.value].kind == NodeKind::switched)
      spans[link.from.value] = spans[link.from.value] + spans[link.to.value];
  return spans;
}

// Links count under the innermost level with a group that holds the NPUs below both ends.
void assign_levels(GraphSpec& graph, std::int32_t npus, const std::vector<LevelSpec>& levels) {
  const std::vector<Span> spans = spans_of(graph, npus);
  for (Link& link : graph.links) {
    const Span span = spans[link.from.value] + spans[link.to.value];
    std::int32_t size = 1;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      size *= levels[l].size;
      link.level = static_cast<std::int32_t>(l);
      if (span.first / size == span.last / size) break;
    }
  }
}

// The indices of the nodes as a topology numbers them: NPUs first, then NICs, then switches.
std::vector<std::size_t> in_order(const std::vector<WrittenNode>& nodes) {
  std::vector<std::size_t> order;
  for (const NodeKind kind : {NodeKind::npu, NodeKind::nic, NodeKind::switched})
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].kind == kind) order.push_back(i);
  return order;
}

std::int32_t npus_of(const WrittenGraph& graph) {
  return static_cast<std::int32_t>(
      std::ranges::count(graph.nodes, NodeKind::npu, &WrittenNode::kind));
}

void check_links(SpecProblems& problems, const WrittenGraph& graph,
                 const std::vector<std::string_view>& names) {
  const std::set<std::string_view> known_names(names.begin(), names.end());
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const WrittenLink& link = graph.links[i];
    bool known = true;
    for (const std::string& name : {link.from, link.to}) {
      if (known_names.contains(name)) continue;
      known = false;
      problems.push_back(
          {item_key("links", i), "there is no node " + in_quotes(name), suggestion(name, names)});
    }
    if (known && link.from == link.to)
      problems.push_back(
          {item_key("links", i), in_quotes(link.from) + " is joined to itself", "name two nodes"});
  }
}

}  // namespace

SpecProblems problems_of(const WrittenGraph& graph) {
  SpecProblems problems;
  std::vector<std::string_view> names;
  std::set<std::string_view> taken;
  for (const std::size_t i : in_order(graph.nodes)) {
    const std::string& name = graph.nodes[i].name;
    if (!taken.insert(name).second)
      problems.push_back({item_key("nodes", i), "the name " + in_quotes(name) + " is taken",
                          "every node has its own"});
    names.push_back(name);
  }
  check_links(problems, graph, names);
  if (graph.links.empty()) problems.push_back({"links", "there are none", "join the nodes"});
  const std::int32_t npus = npus_of(graph);
  if (npus < 2)
    problems.push_back({"nodes", fmt::format("{} NPUs", npus), "a cluster has at least two"});
  std::int64_t product = 1;
  for (const std::int32_t size : graph.groups)
    if (product <= npus_at_most) product *= size;
  if (!graph.groups.empty() && product != npus)
    problems.push_back(
        {"groups", fmt::format("the sizes multiply to {}, and there are {} NPUs", product, npus),
         "all NPUs are in groups of equal size"});
  return problems;
}

TopologySpec build_graph(const WrittenGraph& graph) {
  GraphSpec made;
  made.npus_forward = graph.npus_forward;
  std::map<std::string, NodeId> by_name;
  for (const std::size_t i : in_order(graph.nodes)) {
    by_name.emplace(graph.nodes[i].name, NodeId{static_cast<std::int32_t>(made.nodes.size())});
    made.nodes.push_back({graph.nodes[i].kind, graph.nodes[i].name});
  }
  for (const WrittenLink& link : graph.links) {
    const NodeId from = by_name.at(link.from), to = by_name.at(link.to);
    made.links.push_back({from, to, 0, link.wire.bandwidth, link.wire.latency, link.cost});
    if (!link.one_way)
      made.links.push_back({to, from, 0, link.wire.bandwidth, link.wire.latency, link.cost});
  }
  TopologySpec topology;
  topology.levels = grouped(made, npus_of(graph), graph.groups);
  assign_levels(made, npus_of(graph), topology.levels);
  topology.graph = std::make_shared<const GraphSpec>(std::move(made));
  return topology;
}

}  // namespace orrery
