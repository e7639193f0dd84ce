#include "network/ideal_model.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/inner_links.h"

namespace orrery {

IdealModel ideal_model_of(const NetworkSpec& spec, const Topology& topology, TransportKind usual) {
  if (spec.transport.ideal) return *spec.transport.ideal;
  const auto levels = topology.levels();
  const auto is_ideal = [&](std::size_t level) {
    return spec.transport_of(level, levels[level].scope, usual) == TransportKind::ideal;
  };
  if (topology.structural()) {
    for (std::size_t level = 0; level < levels.size(); ++level)
      if (is_ideal(level) && has_inner_links(levels[level])) return IdealModel::fluid;
    return IdealModel::analytical;
  }
  const auto is = [&](NodeId node, NodeKind kind) { return topology.node_kind(node) == kind; };
  std::vector<std::int32_t> npus(static_cast<std::size_t>(topology.node_count()));  // of a NIC
  for (const Link& link : topology.links())
    if (is(link.from, NodeKind::npu)) ++npus[static_cast<std::size_t>(link.to.value)];
  const auto is_shared = [&](const Link& link) {
    if (!is_ideal(static_cast<std::size_t>(link.level))) return false;
    for (const NodeId end : {link.from, link.to})
      if (is(end, NodeKind::npu)) return topology.forwards(end);
    for (const NodeId end : {link.from, link.to})
      if (is(end, NodeKind::nic)) return npus[static_cast<std::size_t>(end.value)] > 1;
    return true;
  };
  return std::ranges::any_of(topology.links(), is_shared) ? IdealModel::fluid
                                                          : IdealModel::analytical;
}

}  // namespace orrery
