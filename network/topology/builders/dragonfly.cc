#include "network/topology/builders/dragonfly.h"

#include <fmt/format.h>

#include <vector>

#include "core/base/check.h"

namespace orrery {

std::optional<SpecProblem> problem_of(const DragonflySpec& spec) {
  if (auto problem = problem_of(spec.node)) return problem;
  const std::int64_t globals = std::int64_t{spec.routers} * spec.globals;
  if (spec.group_count() > globals + 1)
    return SpecProblem{
        "groups",
        fmt::format("{} groups, but a group has {} global links", spec.group_count(), globals),
        fmt::format("at most {} can be joined to each other", globals + 1)};
  const std::int64_t plugs = std::int64_t{spec.plugs} * spec.routers * spec.group_count();
  if (plugs % spec.node.plugs() != 0 || plugs / spec.node.plugs() < 1)
    return SpecProblem{
        "plugs", fmt::format("{} in all do not make whole nodes of {}", plugs, spec.node.plugs()),
        "make them a multiple"};
  if (plugs * (spec.routers + 2) > 1 << 26)
    return SpecProblem{"", "more than 67 million links", "take fewer groups or routers"};
  return problem_of(
      spec.node, plugs / spec.node.plugs(),
      (std::int64_t{spec.routers} + spec.globals) * spec.routers * spec.group_count() / 2);
}

TopologySpec build_dragonfly(const DragonflySpec& spec) {
  CHECK(!problem_of(spec), "{} groups", spec.groups);
  constexpr std::int32_t global_cost = 3;
  const std::int32_t g = spec.group_count(), a = spec.routers, ports = a * spec.globals;
  const std::int32_t plugs = spec.plugs * a * g, plugs_each = spec.node.plugs();
  ClusterGraph graph(spec.node, plugs / plugs_each);
  std::vector<NodeId> routers;
  for (std::int32_t group = 0; group < g; ++group)
    for (std::int32_t r = 0; r < a; ++r)
      routers.push_back(graph.add_switch(fmt::format("g{}.r{}", group, r)));
  for (std::int32_t i = 0; i < plugs; ++i)
    graph.join(graph.plug(i), routers[i / spec.plugs], spec.plug_wire, 1);
  for (std::int32_t group = 0; group < g; ++group)
    for (std::int32_t r = 0; r < a; ++r)
      for (std::int32_t other = r + 1; other < a; ++other)
        graph.join(routers[group * a + r], routers[group * a + other], spec.local_wire, 2);
  // Port q of group i leads to group i + 1 + q mod (g - 1); seen from there, port g - 2 - q.
  const std::int32_t copies = g > 1 ? ports / (g - 1) : 0;
  for (std::int32_t group = 0; group < g; ++group)
    for (std::int32_t copy = 0; copy < copies; ++copy)
      for (std::int32_t q = 0; q < g - 1; ++q) {
        const std::int32_t other = (group + 1 + q) % g;
        if (other < group) continue;  // the other one has joined them
        const std::int32_t here = copy * (g - 1) + q, there = copy * (g - 1) + g - 2 - q;
        graph.join(routers[group * a + here / spec.globals],
                   routers[other * a + there / spec.globals], spec.global_wire, 3, global_cost);
      }
  const bool whole = spec.plugs % plugs_each == 0;
  return std::move(graph).finish(
      {{"router", whole ? spec.plugs / plugs_each : 0}, {"group", a}, {"dragonfly", g}},
      spec.plug_wire);
}

}  // namespace orrery
