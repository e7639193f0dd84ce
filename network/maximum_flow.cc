#include "network/maximum_flow.h"

#include <algorithm>
#include <limits>

namespace orrery {

void MaximumFlow::add(std::size_t from, std::size_t to, std::int64_t capacity) {
  edges_of_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

bool MaximumFlow::find_layers(std::size_t source, std::size_t sink) {
  layer_.assign(edges_of_.size(), -1);
  layer_[source] = 0;
  std::vector<std::size_t> queue{source};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::size_t e : edges_of_[queue[i]])
      if (edges_[e].left > 0 && layer_[edges_[e].to] < 0) {
        layer_[edges_[e].to] = layer_[queue[i]] + 1;
        queue.push_back(edges_[e].to);
      }
  return layer_[sink] >= 0;
}

// As deep as a path is long: a few links in a cluster, the diameter of a torus at most.
std::int64_t MaximumFlow::push(std::size_t node, std::size_t sink, std::int64_t most) {
  if (node == sink) return most;
  std::int64_t pushed = 0;
  for (; next_[node] < edges_of_[node].size(); ++next_[node]) {
    const std::size_t e = edges_of_[node][next_[node]];
    if (edges_[e].left == 0 || layer_[edges_[e].to] != layer_[node] + 1) continue;
    const std::int64_t now = push(edges_[e].to, sink, std::min(most - pushed, edges_[e].left));
    edges_[e].left -= now;
    edges_[e ^ 1].left += now;
    pushed += now;
    if (pushed == most) break;
  }
  return pushed;
}

std::int64_t MaximumFlow::maximum(std::size_t source, std::size_t sink) {
  std::int64_t flow = 0;
  while (find_layers(source, sink)) {
    next_.assign(edges_of_.size(), 0);
    flow += push(source, sink, std::numeric_limits<std::int64_t>::max());
  }
  return flow;
}

}  // namespace orrery
