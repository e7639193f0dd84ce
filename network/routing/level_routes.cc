#include "network/routing/level_routes.h"

#include <cstdlib>
#include <optional>

#include "core/base/check.h"

namespace orrery {
namespace {

bool two_ways_on(const Topology& topology, int level, NodeId from, NodeId to) {
  const LevelSpec& spec = topology.levels()[static_cast<std::size_t>(level)];
  if (spec.kind != LevelKind::ring || spec.size == 2) return false;
  return 2 * std::abs(topology.coordinate(from, level) - topology.coordinate(to, level)) ==
         spec.size;
}

class Walk {
 public:
  Walk(const Topology& topology, std::vector<LinkIndex>& links)
      : topology_(topology), links_(links) {}

  // The level of a switch, none of an NPU.
  std::optional<int> level_of(NodeId node) const {
    if (node.value < topology_.npu_count()) return std::nullopt;
    int found = 0;
    for (int l = 0; l < static_cast<int>(topology_.levels().size()); ++l)
      if (topology_.levels()[l].kind == LevelKind::switched && topology_.first_switch(l) <= node)
        found = l;
    return found;
  }

  // The NPU below a switch with this coordinate at the switch's level.
  NodeId below(NodeId node, int level, std::int32_t coordinate) const {
    const std::int32_t index = node.value - topology_.first_switch(level).value;
    const std::int32_t stride = topology_.stride(level), size = topology_.levels()[level].size;
    return {index / stride * stride * size + coordinate * stride + index % stride};
  }

  // From an NPU to the one with the target's coordinates, at all levels but `skipped`.
  NodeId to_npu(NodeId here, NodeId target, std::optional<int> skipped) {
    for (int l = 0; l < static_cast<int>(topology_.levels().size()); ++l)
      if (l != skipped) here = along(l, here, topology_.coordinate(target, l));
    return here;
  }

  void up(NodeId npu, int level) { add(topology_.egress_link(level, npu, 0)); }
  void down(NodeId npu, int level) { add(topology_.switch_to_npu_link(level, npu)); }

  NodeId along(int level, NodeId here, std::int32_t to) {
    const std::int32_t from = topology_.coordinate(here, level);
    if (from == to) return here;
    const NodeId there = at(level, here, to);
    if (topology_.levels()[level].kind == LevelKind::switched) {
      up(here, level);
      down(there, level);
      return there;
    }
    go_round(level, here, there, topology_.egress_port(level, from, to));
    return there;
  }

  // The NPU with another coordinate at the level.
  NodeId at(int level, NodeId npu, std::int32_t coordinate) const {
    return {npu.value + (coordinate - topology_.coordinate(npu, level)) * topology_.stride(level)};
  }

  // From neighbour to neighbour, always through that port.
  void go_round(int level, NodeId here, NodeId there, std::int32_t port) {
    while (here != there) {
      add(topology_.egress_link(level, here, port));
      here = topology_.links()[links_.back()].to;
    }
  }

 private:
  void add(std::size_t link) { links_.push_back(static_cast<LinkIndex>(link)); }

  const Topology& topology_;
  std::vector<LinkIndex>& links_;
};

}  // namespace

void append_level_route(const Topology& topology, NodeId from, NodeId to,
                        std::vector<LinkIndex>& links) {
  DCHECK(topology.structural() && from != to, "from {} to {}", from.value, to.value);
  Walk walk(topology, links);
  const std::optional<int> from_level = walk.level_of(from), to_level = walk.level_of(to);
  const NodeId target = to_level ? walk.below(to, *to_level, 0) : to;
  NodeId here = from;
  if (from_level) {
    here = walk.below(from, *from_level, topology.coordinate(target, *from_level));
    walk.down(here, *from_level);
  }
  here = walk.to_npu(here, target, to_level);
  if (to_level) walk.up(here, *to_level);
}

bool has_two_ways(const Topology& topology, NodeId from, NodeId to) {
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level)
    if (two_ways_on(topology, level, from, to)) return true;
  return false;
}

void append_level_shares(const Topology& topology, NodeId from, NodeId to,
                         std::vector<LinkShare>& shares, std::vector<LinkIndex>& scratch) {
  DCHECK(topology.structural() && from != to, "from {} to {}", from.value, to.value);
  Walk walk(topology, scratch);
  NodeId here = from;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const std::int32_t coordinate = topology.coordinate(to, level);
    const NodeId there = walk.at(level, here, coordinate);
    const bool both = two_ways_on(topology, level, from, to);
    scratch.clear();
    if (both) {
      walk.go_round(level, here, there, 0);
      walk.go_round(level, here, there, 1);
    } else {
      walk.along(level, here, coordinate);
    }
    for (const LinkIndex link : scratch) shares.push_back({link, both ? 0.5 : 1.0});
    here = there;
  }
}

}  // namespace orrery
