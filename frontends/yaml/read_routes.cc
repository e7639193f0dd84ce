#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/input/comma_lines.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/topology_keys.h"
#include "network/routing/static_route.h"
#include "network/topology/names.h"

namespace orrery::yaml {

namespace {

// The route of a line `from,to,via,...`, or what is wrong with it.
std::variant<StaticRoute, SpecProblem> route_of(const std::vector<std::string>& line,
                                                const Topology& topology, const Names& names) {
  std::vector<NodeId> nodes;
  for (const std::string& name : line) {
    const auto node = names.node(name);
    if (!node) return SpecProblem{"", "there is no node " + in_quotes(name), names_remedy};
    nodes.push_back(*node);
  }
  return static_route(nodes, topology, names);
}

}  // namespace

void read_routes(Reader& keys, const TopologySpec& spec, RoutingSpec& routing) {
  const std::string path = resolved_path(*keys.find("routes"));
  const std::string* text = keys.contents("routes", path);
  if (text == nullptr) return;
  const Topology topology(spec);
  const Names names(topology);
  CommaLines lines(*text);
  std::map<std::pair<NodeId, NodeId>, int> line_of;
  while (lines.next()) {
    const auto wrong = [&](const std::string& what, const std::string& remedy) {
      keys.wrong("routes", fmt::format("{}:{}: {}", path, lines.number(), what), remedy);
    };
    auto route = route_of(lines.cells(), topology, names);
    if (const auto* problem = std::get_if<SpecProblem>(&route))
      return wrong(problem->what, problem->remedy);
    auto& found = std::get<StaticRoute>(route);
    const auto [earlier, is_new] = line_of.emplace(std::pair{found.from, found.to}, lines.number());
    if (!is_new)
      return wrong(fmt::format("line {} has a route of these two already", earlier->second),
                   "leave one of them out");
    routing.routes.push_back(std::move(found));
  }
}

}  // namespace orrery::yaml
