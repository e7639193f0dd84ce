#include "network/topology/first_links.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace orrery {

namespace {

// Of each node, by which of NPU 0's links the ways of least cost to it begin: a bit for each link,
// the last one for all beyond. Known of the nodes in `wanted`.
class FirstHops {
 public:
  FirstHops(const GraphSpec& graph, std::span<const std::int32_t> wanted)
      : graph_(graph), out_(graph.nodes.size() + 1), cost_(graph.nodes.size(), far) {
    for (const Link& link : graph.links) ++out_[static_cast<std::size_t>(link.from.value) + 1];
    for (std::size_t i = 1; i < out_.size(); ++i) out_[i] += out_[i - 1];
    links_.resize(graph.links.size());
    std::vector<std::size_t> next(out_.begin(), out_.end() - 1);
    for (const Link& link : graph.links)
      links_[next[static_cast<std::size_t>(link.from.value)]++] = &link;
    first_.resize(graph.nodes.size());
    walk(wanted);
  }

  std::uint64_t to(std::int32_t node) const { return first_[static_cast<std::size_t>(node)]; }

 private:
  static constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t last_bit = 63;

  bool forwards(std::int32_t node) const {
    return graph_.npus_forward ||
           graph_.nodes[static_cast<std::size_t>(node)].kind != NodeKind::npu;
  }

  void walk(std::span<const std::int32_t> wanted) {
    auto left = std::ssize(wanted);
    using Reached = std::pair<std::int64_t, std::int32_t>;  // cost, node
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    cost_[0] = 0;
    queue.emplace(0, 0);
    while (!queue.empty() && left > 0) {
      const auto [cost, node] = queue.top();
      queue.pop();
      if (cost > cost_[static_cast<std::size_t>(node)]) continue;
      left -= std::ranges::count(wanted, node);  // all ways to it have come: links cost 1 or more
      if (node != 0 && !forwards(node)) continue;
      const auto at = static_cast<std::size_t>(node);
      for (std::size_t i = out_[at]; i < out_[at + 1]; ++i) {
        const Link& link = *links_[i];
        const auto to = static_cast<std::size_t>(link.to.value);
        if (cost + link.cost > cost_[to]) continue;
        if (cost + link.cost < cost_[to]) {
          cost_[to] = cost + link.cost;
          first_[to] = 0;
          queue.emplace(cost_[to], link.to.value);
        }
        first_[to] |= node == 0 ? std::uint64_t{1} << std::min(i - out_[0], last_bit) : first_[at];
      }
    }
  }

  const GraphSpec& graph_;
  std::vector<std::size_t> out_;    // the first of each node's links in links_
  std::vector<const Link*> links_;  // by the node that they leave
  std::vector<std::int64_t> cost_;  // of the cheapest way from NPU 0
  std::vector<std::uint64_t> first_;
};

}  // namespace

std::vector<int> levels_by_first_links(const GraphSpec& graph,
                                       std::span<const std::int32_t> strides) {
  const FirstHops hops(graph, strides);
  std::vector<int> same_as;
  for (const std::int32_t stride : strides) {
    const int level = static_cast<int>(same_as.size());
    int first = level;
    for (int inner = level - 1; inner >= 0; --inner)
      if (hops.to(strides[static_cast<std::size_t>(inner)]) == hops.to(stride)) first = inner;
    same_as.push_back(first);
  }
  return same_as;
}

}  // namespace orrery
