#include "network/routing/level_routes.h"

#include <optional>

#include "core/base/check.h"

namespace orrery {
namespace {

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

 private:
  void add(std::size_t link) { links_.push_back(static_cast<LinkIndex>(link)); }

  NodeId along(int level, NodeId here, std::int32_t to) {
    const std::int32_t from = topology_.coordinate(here, level);
    if (from == to) return here;
    const NodeId there{here.value + (to - from) * topology_.stride(level)};
    if (topology_.levels()[level].kind == LevelKind::switched) {
      up(here, level);
      down(there, level);
      return there;
    }
    const std::int32_t port = topology_.egress_port(level, from, to);
    while (here != there) {
      add(topology_.egress_link(level, here, port));
      here = topology_.links()[links_.back()].to;
    }
    return here;
  }

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

}  // namespace orrery
