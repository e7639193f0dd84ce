#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/units/unit_text.h"
#include "formats/input/comma_lines.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/topology_keys.h"
#include "network/routing/static_route.h"
#include "network/topology/names.h"

namespace orrery::yaml {

void resolve_faults(Reader& network, const std::vector<FaultKeys>& faults, const TopologySpec& spec,
                    RoutingSpec& routing) {
  const Topology topology(spec);
  const Names names(topology);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultKeys& fault = faults[i];
    const bool degraded = fault.state == LinkCondition::degraded;
    if (degraded && !fault.node.empty()) {
      network.wrong_item("faults", i, "only a link can be degraded",
                         "name the link: {at: 1 ms, link: a - b, state: degraded, bandwidth: 10 "
                         "Gb/s}; for more links write more entries");
      continue;
    }
    if (degraded != fault.bandwidth.has_value()) {
      network.wrong_item("faults", i, "a bandwidth and the state degraded belong together",
                         "write {at: 1 ms, link: a -> b, state: degraded, bandwidth: 10 Gb/s}");
      continue;
    }
    Fault made{Time{fault.at}, {}, {}, fault.state, fault.bandwidth.value_or(Bandwidth{})};
    if (!fault.node.empty()) {
      made.node = names.node(fault.node);
      if (made.node)
        routing.faults.push_back(made);
      else
        network.wrong_item("faults", i, "there is no node " + in_quotes(fault.node), names_remedy);
      continue;
    }
    const std::vector<LinkIndex> links = names.links(fault.link);
    if (links.empty())
      network.wrong_item("faults", i, "there is no link " + in_quotes(fault.link), names_remedy);
    for (const LinkIndex link : links) {
      const Bandwidth whole = topology.links()[link].bandwidth;
      if (degraded && made.bandwidth > whole) {
        network.wrong_item("faults", i,
                           fmt::format("{} is more than the {} of the link",
                                       to_text(made.bandwidth), to_text(whole)),
                           "a degraded link carries less; write state: up for all of it");
        break;
      }
      made.link = link;
      routing.faults.push_back(made);
    }
  }
}

void resolve_captures(Reader& transport, const std::vector<CaptureKeys>& captures,
                      const TopologySpec& spec, NetworkSpec& network) {
  const Topology topology(spec);
  const Names names(topology);
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto& [link, between] = captures[i];
    CaptureSpec capture{link, names.links(link), {}};
    if (capture.links.empty())
      transport.wrong_item("capture", i, "there is no link " + in_quotes(link), names_remedy);
    if (between.size() == 2 && between[0] != between[1] &&
        std::max(between[0], between[1]) < topology.npu_count())
      capture.between = {NodeId{between[0]}, NodeId{between[1]}};
    else if (!between.empty())
      transport.wrong_item("capture", i, "`between` are not two NPUs",
                           fmt::format("name two of the NPUs 0 to {}", topology.npu_count() - 1));
    network.captures.push_back(std::move(capture));
  }
}

void resolve_lossy(Reader& switches, const std::vector<LossyLinkKeys>& links,
                   const TopologySpec& topology, SwitchSpec& spec) {
  const Topology built(topology);
  const Names names(built);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::vector<LinkIndex> found = names.links(links[i].link);
    if (found.empty())
      switches.wrong_item("lossy_links", i, "there is no link " + in_quotes(links[i].link),
                          names_remedy);
    if (links[i].loss >= 1)
      switches.wrong_item("lossy_links", i, "a link that loses everything",
                          "write a probability below 1");
    for (const LinkIndex link : found) {
      if (std::ranges::find(spec.lossy_links, link, &LossyLink::link) != spec.lossy_links.end())
        switches.wrong_item("lossy_links", i, built.link_name(link) + " is there twice",
                            "leave one of them out");
      spec.lossy_links.push_back({link, links[i].loss});
    }
  }
}

namespace {

std::vector<LinkIndex> links_of_switches(const Topology& topology) {
  std::vector<LinkIndex> links;
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    if (topology.node_kind(topology.links()[i].from) == orrery::NodeKind::switched)
      links.push_back(i);
  return links;
}

}  // namespace

void resolve_watched(Reader& switches, const std::vector<std::string>& links,
                     const TopologySpec& topology, SwitchSpec& spec) {
  const Topology built(topology);
  const Names names(built);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::vector<LinkIndex> found =
        links[i] == "all" ? links_of_switches(built) : names.links(links[i]);
    if (found.empty())
      switches.wrong_item("watch", i, "there is no link " + in_quotes(links[i]), names_remedy);
    for (const LinkIndex link : found)
      if (std::find(spec.watched.begin(), spec.watched.end(), link) == spec.watched.end())
        spec.watched.push_back(link);
  }
}

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
  const Topology topology(spec);
  const Names names(topology);
  CommaLines lines(keys.contents("routes", path));
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
