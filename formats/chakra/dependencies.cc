#include "formats/chakra/dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace orrery::chakra {

namespace {

// Who waits for each node.
class Followers {
 public:
  explicit Followers(const Graph::Predecessors& rows)
      : first_(rows.first.size()), followers_(rows.before.size()) {
    for (const std::int32_t before : rows.before) ++first_[before + 1];
    for (std::size_t i = 0; i < nodes(); ++i) first_[i + 1] += first_[i];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < nodes(); ++i)
      for (std::uint32_t k = rows.first[i]; k < rows.first[i + 1]; ++k)
        followers_[next[rows.before[k]]++] = static_cast<std::int32_t>(i);
  }
  std::size_t nodes() const { return first_.size() - 1; }
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
  explicit Components(const Graph::Predecessors& rows)
      : followers_(rows),
        number_(followers_.nodes(), -1),
        low_(followers_.nodes()),
        on_stack_(followers_.nodes()) {
    for (std::size_t node = 0; node < number_.size(); ++node)
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
      const auto followers = followers_.of(visit.node);
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

  Followers followers_;
  std::vector<std::int32_t> number_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::int32_t> stack_;
  std::int32_t count_ = 0;
};

// Whether all nodes wait for nodes before them in the file: then there are no cycles.
bool goes_forward(const Graph::Predecessors& rows) {
  for (std::size_t i = 0; i + 1 < rows.first.size(); ++i)
    for (std::uint32_t k = rows.first[i]; k < rows.first[i + 1]; ++k)
      if (rows.before[k] >= static_cast<std::int32_t>(i)) return false;
  return true;
}

// A way from a node of the set back to it, as the ids of at most 8 nodes: "17 -> 18 -> 17".
std::string path_text(const NodePlaces& places, const Graph::Predecessors& rows,
                      std::span<const std::int32_t> set) {
  const Followers followers(rows);
  const std::int32_t begin = *std::ranges::min_element(set);
  std::vector<std::int32_t> from(followers.nodes(), -1);  // the shortest way from `begin`
  std::deque<std::int32_t> next = {begin};
  while (!next.empty() && from[begin] < 0) {
    const std::int32_t node = next.front();
    next.pop_front();
    for (const std::int32_t follower : followers.of(node)) {
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
    text += fmt::format("{} -> ", places.id_at(i == 0 ? begin : way[way.size() - i]));
  if (way.size() > kMost) text += fmt::format("{} more -> ", way.size() - kMost);
  return text + std::to_string(places.id_at(begin));
}

constexpr const char* kEdgesRemedy = "write the trace again, with nodes that are there";
constexpr const char* kCycleRemedy = "write the trace again, without one of these dependencies";
constexpr const char* kControlRemedy = "write \"dependencies: auto\"";

Graph::Predecessors resolved_data(IdRows data, const NodePlaces& places, const RefuseNode& refuse) {
  return data.taken([&](std::int32_t node, std::uint64_t id) {
    const std::optional<std::int32_t> place = places.find(id);
    if (!place)
      refuse(node, fmt::format("its data dependency {} is not in the file", id), kEdgesRemedy);
    if (*place == node) refuse(node, "its data dependency is the node itself", kEdgesRemedy);
    return *place;
  });
}

Graph::Predecessors resolved_control(IdRows control, const NodePlaces& places, bool all,
                                     LeftOut& left_out, const RefuseNode& refuse) {
  return control.taken([&](std::int32_t node, std::uint64_t id) {
    const std::optional<std::int32_t> place = places.find(id);
    if (all && !place)
      refuse(node, fmt::format("its control dependency {} is not in the file", id), kControlRemedy);
    if (all && *place == node)
      refuse(node, "its control dependency is the node itself", kControlRemedy);
    if (place && *place != node) return *place;
    ++(place ? left_out.on_itself : left_out.on_missing);
    return -1;
  });
}

// Both, row by row.
Graph::Predecessors merged(const Graph::Predecessors& a, const Graph::Predecessors& b) {
  Graph::Predecessors both;
  both.first.reserve(a.first.size());
  both.before.reserve(a.before.size() + b.before.size());
  for (std::size_t i = 0; i + 1 < a.first.size(); ++i) {
    for (const Graph::Predecessors* one : {&a, &b})
      both.before.insert(both.before.end(), one->before.begin() + one->first[i],
                         one->before.begin() + one->first[i + 1]);
    both.first.push_back(static_cast<std::uint32_t>(both.before.size()));
  }
  return both;
}

void refuse_cycle(const Graph::Predecessors& rows,
                  const std::vector<std::vector<std::int32_t>>& cycles, const NodePlaces& places,
                  const char* remedy, const RefuseNode& refuse) {
  if (cycles.empty()) return;
  refuse(*std::ranges::min_element(cycles.front()),
         "nodes wait for each other: " + path_text(places, rows, cycles.front()), remedy);
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

void IdRows::add_row(std::span<const std::uint64_t> ids) {
  if (size() == 0 && !ids.empty()) base_ = ids.front();
  for (const std::uint64_t id : ids) {
    const auto distance = static_cast<std::int64_t>(id - base_);
    const auto near = static_cast<std::int32_t>(distance);
    if (far_.empty() && near != distance) {
      far_.reserve(near_.size() + ids.size());
      for (std::size_t i = 0; i < near_.size(); ++i) far_.push_back(id_at(i));
      near_ = {};
    }
    if (far_.empty() && near == distance)
      near_.push_back(near);
    else
      far_.push_back(id);
  }
  first_.push_back(static_cast<std::uint32_t>(std::max(near_.size(), far_.size())));
}

Graph::Predecessors IdRows::taken(
    const std::function<std::int32_t(std::int32_t, std::uint64_t)>& place_of) {
  Graph::Predecessors result;
  const bool in_place = far_.empty();
  std::vector<std::int32_t> places = in_place ? std::vector<std::int32_t>() : std::move(near_);
  if (!in_place) places.resize(far_.size());
  std::vector<std::int32_t>& taken = in_place ? near_ : places;
  std::uint32_t count = 0, begin = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::uint32_t end = first_[row + 1];
    for (; begin < end; ++begin) {
      const std::int32_t place = place_of(static_cast<std::int32_t>(row), id_at(begin));
      if (place >= 0) taken[count++] = place;
    }
    first_[row + 1] = count;
  }
  taken.resize(count);
  return {.first = std::move(first_), .before = std::move(taken)};
}

std::vector<std::vector<std::int32_t>> cycles_in(const Graph::Predecessors& rows) {
  if (goes_forward(rows)) return {};
  return std::move(Components(rows).sets);
}

Graph::Predecessors resolved(IdRows data, IdRows control, const NodePlaces& places,
                             TraceDependencies which, LeftOut& left_out, const RefuseNode& refuse) {
  Graph::Predecessors result = resolved_data(std::move(data), places, refuse);
  const bool all = which == TraceDependencies::all;
  if (which != TraceDependencies::data && control.size() > 0) {
    Graph::Predecessors both =
        merged(result, resolved_control(std::move(control), places, all, left_out, refuse));
    const std::vector<std::vector<std::int32_t>> cycles = cycles_in(both);
    if (cycles.empty()) return both;
    if (all) refuse_cycle(both, cycles, places, "write \"dependencies: auto\", or data", refuse);
    left_out.cycles += static_cast<std::int64_t>(cycles.size());
    for (const auto& set : cycles)
      left_out.nodes_in_cycles += static_cast<std::int64_t>(set.size());
  }
  const std::vector<std::vector<std::int32_t>> cycles = cycles_in(result);
  refuse_cycle(result, cycles, places, kCycleRemedy, refuse);
  return result;
}

void add_streams(Graph::Predecessors& rows, std::span<const std::int32_t> before,
                 const NodePlaces& places, const RefuseNode& refuse) {
  Graph::Predecessors streams;
  for (const std::int32_t one : before) {
    if (one >= 0) streams.before.push_back(one);
    streams.first.push_back(static_cast<std::uint32_t>(streams.before.size()));
  }
  if (streams.before.empty()) return;
  rows = merged(rows, streams);
  const std::vector<std::vector<std::int32_t>> cycles = cycles_in(rows);
  if (cycles.empty()) return;
  refuse(*std::ranges::min_element(cycles.front()),
         "the order of the file within streams contradicts dependencies: " +
             path_text(places, rows, cycles.front()),
         "write \"lanes: two\", which does not look at streams");
}

}  // namespace orrery::chakra
