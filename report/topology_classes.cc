#include "report/topology_classes.h"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>
#include <utility>

namespace orrery {

namespace {

struct Neighbour {
  std::int32_t of_class, level;
  bool is_outward;
  Bandwidth bandwidth;
  Duration latency;
  auto operator<=>(const Neighbour&) const = default;
};

using Signature = std::pair<std::int32_t, std::vector<Neighbour>>;

// Numbers in the order of the first nodes that have them; returns how many there are.
template <class Key>
std::int32_t number_by(const std::vector<Key>& keys, std::vector<std::int32_t>& numbers) {
  std::map<Key, std::int32_t> seen;
  for (std::size_t node = 0; node < keys.size(); ++node)
    numbers[node] =
        seen.try_emplace(keys[node], static_cast<std::int32_t>(seen.size())).first->second;
  return static_cast<std::int32_t>(seen.size());
}

// Splits classes by their neighbours until none can be told apart any more.
std::vector<std::int32_t> refined(const Topology& topology) {
  std::vector<NodeKind> kinds;
  kinds.reserve(topology.node_count());
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    kinds.push_back(topology.node_kind({node}));
  std::vector<std::int32_t> of_node(kinds.size());
  std::int32_t before = 0;
  for (std::int32_t count = number_by(kinds, of_node); count > before;) {
    before = count;
    std::vector<Signature> signatures(of_node.size());
    for (std::size_t node = 0; node < of_node.size(); ++node)
      signatures[node].first = of_node[node];
    for (const Link& link : topology.links()) {
      const auto add = [&](NodeId node, NodeId other, bool outward) {
        signatures[node.value].second.push_back(
            {of_node[other.value], link.level, outward, link.bandwidth, link.latency});
      };
      add(link.from, link.to, true);
      add(link.to, link.from, false);
    }
    for (Signature& signature : signatures) std::ranges::sort(signature.second);
    count = number_by(signatures, of_node);
  }
  return of_node;
}

}  // namespace

TopologyClasses classes_of(const Topology& topology) {
  const std::vector<std::int32_t> of_node = refined(topology);
  TopologyClasses classes;
  for (std::int32_t node = 0; node < topology.node_count(); ++node) {
    const std::int32_t number = of_node[node];
    if (number == static_cast<std::int32_t>(classes.nodes.size()))
      classes.nodes.push_back({topology.node_kind({node}), 0, {node}});
    ++classes.nodes[number].count;
  }
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, Bandwidth, Duration>, std::int64_t>
      counts;
  for (const Link& link : topology.links())
    ++counts[{of_node[link.from.value], of_node[link.to.value], link.level, link.bandwidth,
              link.latency}];
  for (const auto& [key, count] : counts) {
    const auto& [from, to, level, bandwidth, latency] = key;
    classes.links.push_back({from, to, level, bandwidth, latency, count});
  }
  return classes;
}

}  // namespace orrery
