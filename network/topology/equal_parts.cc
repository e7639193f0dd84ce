#include "network/topology/equal_parts.h"

#include <fmt/format.h>

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

EqualParts equal_parts(const Topology& topology) {
  EqualParts parts;
  parts.of_nodes = refined(topology);
  for (std::int32_t node = 0; node < topology.node_count(); ++node) {
    const std::int32_t number = parts.of_nodes[node];
    if (number == static_cast<std::int32_t>(parts.nodes.size()))
      parts.nodes.push_back({topology.node_kind({node}), 0, {node}});
    ++parts.nodes[number].count;
  }
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t, Bandwidth, Duration>;
  const auto key_of = [&](const Link& link) {
    return Key{parts.of_nodes[link.from.value], parts.of_nodes[link.to.value], link.level,
               link.bandwidth, link.latency};
  };
  std::map<Key, std::int32_t> numbers;
  for (const Link& link : topology.links()) numbers[key_of(link)] = 0;
  for (auto& [key, number] : numbers) {
    const auto& [from, to, level, bandwidth, latency] = key;
    number = static_cast<std::int32_t>(parts.links.size());
    parts.links.push_back({from, to, level, bandwidth, latency, 0});
  }
  parts.of_links.reserve(topology.links().size());
  for (const Link& link : topology.links()) {
    parts.of_links.push_back(numbers.at(key_of(link)));
    ++parts.links[parts.of_links.back()].count;
  }
  return parts;
}

std::string text_of(const Topology& topology, const EqualNodes& nodes) {
  std::string name = topology.node_name(nodes.first);
  if (nodes.count == 1) return name;
  const char* kind = nodes.kind == NodeKind::npu   ? "NPUs"
                     : nodes.kind == NodeKind::nic ? "NICs"
                                                   : "switches";
  return fmt::format("{} {} ({}, ...)", nodes.count, kind, name);
}

}  // namespace orrery
