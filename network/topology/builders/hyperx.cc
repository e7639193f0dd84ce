#include "network/topology/builders/hyperx.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace orrery {

std::optional<SpecProblem> problem_of(const HyperxSpec& spec) {
  if (auto problem = problem_of_count("dimension_bandwidth", spec.wires.size(), spec.sizes.size(),
                                      "dimensions"))
    return problem;
  if (auto problem = problem_of(spec.node)) return problem;
  std::int64_t switches = 1, ports = 0;
  for (const std::int32_t size : spec.sizes) {
    switches *= size;
    ports += size - 1;
    if (switches * (ports + spec.plugs) > 1 << 26)
      return SpecProblem{"sizes", "more than 67 million links", "make a dimension smaller"};
  }
  if (switches * spec.plugs % spec.node.plugs() != 0)
    return SpecProblem{"plugs",
                       fmt::format("{} in all do not make whole nodes of {}", switches * spec.plugs,
                                   spec.node.plugs()),
                       "make them a multiple"};
  return problem_of(spec.node, switches * spec.plugs / spec.node.plugs(), switches * ports / 2);
}

TopologySpec build_hyperx(const HyperxSpec& spec) {
  CHECK(!problem_of(spec) && !spec.sizes.empty(), "{} dimensions", spec.sizes.size());
  std::int32_t switches = 1;
  for (const std::int32_t size : spec.sizes) switches *= size;
  const std::int32_t plugs_each = spec.node.plugs();
  ClusterGraph graph(spec.node, switches * spec.plugs / plugs_each);
  const NodeId first = graph.add_switch("x0");
  for (std::int32_t s = 1; s < switches; ++s) graph.add_switch(fmt::format("x{}", s));
  for (std::int32_t i = 0; i < switches * spec.plugs; ++i)
    graph.join(graph.plug(i), {first.value + i / spec.plugs}, spec.plug_wire, 1);
  std::vector<ClusterGraph::Tier> tiers = {
      {"switch", spec.plugs % plugs_each == 0 ? spec.plugs / plugs_each : 0}};
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < spec.sizes.size(); ++d) {
    const std::int32_t size = spec.sizes[d];
    const Wire& wire = one_for_each(spec.wires, d);
    for (std::int32_t s = 0; s < switches; ++s)
      for (std::int32_t to = s / stride % size + 1; to < size; ++to)
        graph.join({first.value + s}, {first.value + s + (to - s / stride % size) * stride}, wire,
                   static_cast<std::int32_t>(d) + 2);
    tiers.push_back({fmt::format("dimension {}", d + 1), size});
    stride *= size;
  }
  return std::move(graph).finish(std::move(tiers), spec.plug_wire);
}

}  // namespace orrery
