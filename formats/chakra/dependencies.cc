#include "formats/chakra/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace orrery::chakra {

namespace {

// Rows of followers.
class Rows {
 public:
  Rows(std::size_t nodes, std::span<const Graph::Edge> edges)
      : first_(nodes + 1), followers_(edges.size()) {
    for (const Graph::Edge& edge : edges) ++first_[edge.before + 1];
    for (std::size_t i = 0; i < nodes; ++i) first_[i + 1] += first_[i];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Graph::Edge& edge : edges) followers_[next[edge.before]++] = edge.after;
  }
  std::span<const std::int32_t> of(std::int32_t node) const {
    return std::span(followers_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<std::int32_t> followers_;
};

// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1(2), 1972; with a
// stack of its own, because traces are deep.
class Components {
 public:
  Components(std::size_t nodes, std::span<const Graph::Edge> edges)
      : rows_(nodes, edges), number_(nodes, -1), low_(nodes), on_stack_(nodes) {
    for (std::size_t node = 0; node < nodes; ++node)
      if (number_[node] < 0) search(static_cast<std::int32_t>(node));
  }
  std::vector<std::vector<std::int32_t>> sets;  // of two nodes at least

 private:
  struct Visit {
    std::int32_t node;
    std::size_t next;
  };

  void search(std::int32_t root) {
    std::vector<Visit> way;
    enter(root, way);
    while (!way.empty()) {
      Visit& visit = way.back();
      const auto followers = rows_.of(visit.node);
      if (visit.next == followers.size()) {
        leave(way);
        continue;
      }
      const std::int32_t follower = followers[visit.next++];
      if (number_[follower] < 0)
        enter(follower, way);
      else if (on_stack_[follower])
        low_[visit.node] = std::min(low_[visit.node], number_[follower]);
    }
  }
  void enter(std::int32_t node, std::vector<Visit>& way) {
    number_[node] = low_[node] = count_++;
    stack_.push_back(node);
    on_stack_[node] = true;
    way.push_back({node, 0});
  }
  void leave(std::vector<Visit>& way) {
    const std::int32_t node = way.back().node;
    way.pop_back();
    if (!way.empty()) low_[way.back().node] = std::min(low_[way.back().node], low_[node]);
    if (low_[node] != number_[node]) return;
    std::vector<std::int32_t> set;
    do {
      set.push_back(stack_.back());
      on_stack_[stack_.back()] = false;
      stack_.pop_back();
    } while (set.back() != node);
    if (set.size() > 1) sets.push_back(std::move(set));
  }

  Rows rows_;
  std::vector<std::int32_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::int32_t> stack_;
  std::int32_t count_ = 0;
};

constexpr const char* kEdgesRemedy = "write the trace again, with nodes that are there";

// The place of a node that `node` waits for.
std::int32_t place_of(const RankTrace& trace, const Node& node, std::uint64_t id,
                      std::string_view kind) {
  const auto found = trace.index_of.find(id);
  if (found == trace.index_of.end())
    trace.refuse(node, fmt::format("its {} dependency {} is not in the file", kind, id),
                 kind == "control" ? "write \"dependencies: auto\"" : kEdgesRemedy);
  if (id == node.id)
    trace.refuse(node, fmt::format("its {} dependency is the node itself", kind),
                 kind == "control" ? "write \"dependencies: auto\"" : kEdgesRemedy);
  return found->second;
}

void refuse_cycle(const RankTrace& trace, std::span<const Graph::Edge> edges, const Cycles& cycles,
                  std::string remedy) {
  if (cycles.sets.empty()) return;
  const std::vector<std::int32_t>& set = cycles.sets.front();
  trace.refuse(trace.nodes[*std::ranges::min_element(set)],
               "nodes wait for each other: " + path_text(trace, edges, set), std::move(remedy));
}

}  // namespace

std::string_view name_of(TraceDependencies dependencies) {
  switch (dependencies) {
    case TraceDependencies::automatic:
      return "auto";
    case TraceDependencies::data:
      return "data";
    case TraceDependencies::all:
      break;
  }
  return "all";
}

Cycles cycles_in(std::size_t nodes, std::span<const Graph::Edge> edges) {
  return {std::move(Components(nodes, edges).sets)};
}

std::string path_text(const RankTrace& trace, std::span<const Graph::Edge> edges,
                      std::span<const std::int32_t> set) {
  const Rows rows(trace.nodes.size(), edges);
  const std::int32_t begin = *std::ranges::min_element(set);
  std::vector<std::int32_t> from(trace.nodes.size(), -1);  // the shortest way from `begin`
  std::deque<std::int32_t> next = {begin};
  while (!next.empty() && from[begin] < 0) {
    const std::int32_t node = next.front();
    next.pop_front();
    for (const std::int32_t follower : rows.of(node)) {
      if (from[follower] >= 0) continue;
      from[follower] = node;
      next.push_back(follower);
    }
  }
  std::vector<std::int32_t> way = {begin};
  for (std::int32_t node = from[begin]; node != begin; node = from[node]) way.push_back(node);
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(way.size(), kMost); ++i)
    text += fmt::format("{} -> ", trace.nodes[i == 0 ? begin : way[way.size() - i]].id);
  if (way.size() > kMost) text += fmt::format("{} more -> ", way.size() - kMost);
  return text + std::to_string(trace.nodes[begin].id);
}

Dependencies dependencies_of(const RankTrace& trace, TraceDependencies which) {
  Dependencies result;
  std::vector<Graph::Edge> control;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(trace.nodes.size()); ++i) {
    const Node& node = trace.nodes[i];
    for (const std::uint64_t id : node.data_dependencies)
      result.edges.push_back({place_of(trace, node, id, "data"), i});
    if (which == TraceDependencies::data) continue;
    for (const std::uint64_t id : node.control_dependencies) {
      const bool there = trace.index_of.contains(id), strict = which == TraceDependencies::all;
      if (strict || (there && id != node.id))
        control.push_back({place_of(trace, node, id, "control"), i});
      else
        ++(there ? result.on_itself : result.on_missing);
    }
  }
  std::vector<Graph::Edge> both = result.edges;
  both.insert(both.end(), control.begin(), control.end());
  const Cycles cycles = cycles_in(trace.nodes.size(), both);
  if (cycles.sets.empty()) {
    result.edges = std::move(both);
    return result;
  }
  if (which == TraceDependencies::all)
    refuse_cycle(trace, both, cycles, "write \"dependencies: auto\", or data");
  refuse_cycle(trace, result.edges, cycles_in(trace.nodes.size(), result.edges), kEdgesRemedy);
  result.control_left_out = true;
  result.cycles = static_cast<std::int64_t>(cycles.sets.size());
  for (const auto& set : cycles.sets)
    result.nodes_in_cycles += static_cast<std::int64_t>(set.size());
  return result;
}

}  // namespace orrery::chakra
