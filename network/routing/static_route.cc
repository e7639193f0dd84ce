#include "network/routing/static_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace orrery {
namespace {

// What a line `from,to,via,...` cannot be a route of, though all its nodes exist; "" if it can.
std::string flaw_of_route(const std::vector<NodeId>& nodes, const Topology& topology) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = topology.node_name(nodes[i]);
    if (std::find(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes[i]) !=
        nodes.begin() + static_cast<std::ptrdiff_t>(i))
      return fmt::format("the route comes to {} twice", name);
    if (i < 2 && topology.node_kind(nodes[i]) != NodeKind::npu)
      return fmt::format("{} is no NPU: nothing is sent from or to it", name);
    if (i >= 2 && !topology.forwards(nodes[i]))
      return fmt::format("{} does not pass on what is not for it", name);
  }
  return "";
}

}  // namespace

std::variant<StaticRoute, SpecProblem> static_route(const std::vector<NodeId>& written,
                                                    const Topology& topology, const Names& names) {
  if (written.size() < 2)
    return SpecProblem{"", "a route has two ends", "write from,to,via,via,..."};
  if (const std::string flaw = flaw_of_route(written, topology); !flaw.empty())
    return SpecProblem{"", flaw,
                       "write from,to,via,via,... : two NPUs, and what is between them in order"};
  StaticRoute route{written[0], written[1], {}};
  NodeId at = route.from;
  for (std::size_t i = 2; i <= written.size(); ++i) {
    const NodeId next = i < written.size() ? written[i] : route.to;
    const std::vector<LinkIndex> links = names.links(at, next);
    if (links.empty())
      return SpecProblem{"",
                         fmt::format("there is no link {} -> {}", topology.node_name(at),
                                     topology.node_name(next)),
                         names_remedy};
    route.links.push_back(links.front());
    at = next;
  }
  return route;
}

}  // namespace orrery
