// A static route as it is written: from, to, and what is between them in order.
#pragma once

#include <variant>
#include <vector>

#include "core/base/spec_problem.h"
#include "network/routing_spec.h"
#include "network/topology/names.h"

namespace orrery {

// The route over the first of the links between each two of the nodes, or what is wrong with it.
std::variant<StaticRoute, SpecProblem> static_route(const std::vector<NodeId>& written,
                                                    const Topology& topology, const Names& names);

}  // namespace orrery
