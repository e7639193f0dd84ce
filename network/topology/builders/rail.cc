#include "network/topology/builders/rail.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/check.h"

namespace orrery {

std::optional<SpecProblem> problem_of(const RailSpec& spec) {
  if (auto problem = problem_of(spec.node)) return problem;
  const std::int32_t unit = spec.nodes_per_leaf > 0 ? spec.nodes_per_leaf : spec.nodes;
  if (unit < spec.nodes && spec.spines == 0)
    return SpecProblem{"spines", "without spines, the leaves of a rail are not joined",
                       "write spines: N, or leave nodes_per_leaf out"};
  const std::int64_t leaves = std::int64_t{spec.nodes / unit + 1} * spec.node.plugs();
  return problem_of(spec.node, spec.nodes, leaves * spec.spines);
}

TopologySpec build_rail(const RailSpec& spec) {
  CHECK(!problem_of(spec), "{} nodes", spec.nodes);
  const std::int32_t unit = spec.nodes_per_leaf > 0 ? spec.nodes_per_leaf : spec.nodes;
  const std::int32_t units = (spec.nodes + unit - 1) / unit, rails = spec.node.plugs();
  ClusterGraph graph(spec.node, spec.nodes);
  std::vector<NodeId> leaves;  // unit by unit, rail by rail
  for (std::int32_t u = 0; u < units; ++u)
    for (std::int32_t rail = 0; rail < rails; ++rail)
      leaves.push_back(graph.add_switch(fmt::format("unit{}.rail{}", u, rail)));
  for (std::int32_t node = 0; node < spec.nodes; ++node)
    for (std::int32_t rail = 0; rail < rails; ++rail)
      graph.join(graph.plug(node, rail), leaves[node / unit * rails + rail], spec.wire, 1);
  for (std::int32_t s = 0; s < spec.spines; ++s) {
    const NodeId spine = graph.add_switch(fmt::format("spine{}", s));
    for (const NodeId leaf : leaves) graph.join(leaf, spine, spec.spine_wire, 2);
  }
  return std::move(graph).finish({{"unit", std::min(unit, spec.nodes)}, {"spine", units}},
                                 spec.wire);
}

}  // namespace orrery
