#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "core/units/unit_text.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/topology_keys.h"

namespace orrery::yaml {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// Nodes by name or index, and the links between two of them.
class Names {
 public:
  explicit Names(const Topology& topology) : topology_(topology) {
    for (std::int32_t node = 0; node < topology.node_count(); ++node)
      nodes_.emplace(topology.node_name({node}), NodeId{node});
    for (LinkIndex i = 0; i < topology.links().size(); ++i)
      links_.emplace(std::pair{topology.links()[i].from, topology.links()[i].to}, i);
  }

  std::optional<NodeId> node(std::string_view text) const {
    const std::string name = trimmed(text);
    if (const auto found = nodes_.find(name); found != nodes_.end()) return found->second;
    std::int32_t index = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error != std::errc() || end != name.data() + name.size() || index < 0 ||
        index >= topology_.node_count())
      return std::nullopt;
    return NodeId{index};
  }

  std::vector<LinkIndex> links(NodeId from, NodeId to) const {
    std::vector<LinkIndex> found;
    const auto [begin, end] = links_.equal_range({from, to});
    for (auto link = begin; link != end; ++link) found.push_back(link->second);
    return found;
  }

  // "a -> b", "a - b", or an index; empty if there is none.
  std::vector<LinkIndex> links(const std::string& text) const {
    for (const auto& [arrow, both] : {std::pair{" -> ", false}, {" - ", true}}) {
      const std::size_t at = text.find(arrow);
      if (at == std::string::npos) continue;
      const auto from = node(text.substr(0, at));
      const auto to = node(text.substr(at + std::string_view(arrow).size()));
      if (!from || !to) return {};
      std::vector<LinkIndex> found = links(*from, *to);
      if (both)
        for (const LinkIndex back : links(*to, *from)) found.push_back(back);
      return found;
    }
    LinkIndex index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size() ||
        index >= topology_.links().size())
      return {};
    return {index};
  }

 private:
  const Topology& topology_;
  std::map<std::string, NodeId> nodes_;
  std::multimap<std::pair<NodeId, NodeId>, LinkIndex> links_;
};

// What a line `from,to,via,...` cannot be a route of, though all its nodes exist; "" if it can.
std::string flaw_of_route(const std::vector<NodeId>& nodes, const Topology& topology) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = topology.node_name(nodes[i]);
    if (std::find(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(i), nodes[i]) !=
        nodes.begin() + static_cast<std::ptrdiff_t>(i))
      return fmt::format("the route comes to {} twice", name);
    if (i < 2 && topology.node_kind(nodes[i]) != orrery::NodeKind::npu)
      return fmt::format("{} is no NPU: nothing is sent from or to it", name);
    if (i >= 2 && !topology.forwards(nodes[i]))
      return fmt::format("{} does not pass on what is not for it", name);
  }
  return "";
}

constexpr const char* names_remedy = "orrery topo export --format dot shows the names of all nodes";

}  // namespace

void resolve_faults(Reader& network, const std::vector<FaultKeys>& faults, const TopologySpec& spec,
                    RoutingSpec& routing) {
  const Topology topology(spec);
  const Names names(topology);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const FaultKeys& fault = faults[i];
    const bool degraded = fault.state == LinkCondition::degraded;
    if (degraded != fault.bandwidth.has_value() || (degraded && !fault.node.empty())) {
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

void read_routes(Reader& keys, const TopologySpec& spec, RoutingSpec& routing) {
  const YamlNode* key = keys.find("routes");
  const std::string path = resolved_path(*key);
  std::istringstream file(keys.contents("routes", path));
  const Topology topology(spec);
  const Names names(topology);
  std::map<std::pair<NodeId, NodeId>, int> lines;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto wrong = [&](const std::string& what, const std::string& remedy) {
      keys.wrong("routes", fmt::format("{}:{}: {}", path, number, what), remedy);
    };
    std::vector<NodeId> nodes;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) {
      const auto node = names.node(field);
      if (!node) {
        wrong("there is no node " + in_quotes(trimmed(field)), names_remedy);
        break;
      }
      nodes.push_back(*node);
    }
    if (!keys.clean()) return;
    if (nodes.size() < 2) {
      wrong("a route has two ends", "write from,to,via,via,...");
      return;
    }
    StaticRoute route{nodes[0], nodes[1], {}};
    if (const std::string flaw = flaw_of_route(nodes, topology); !flaw.empty())
      return wrong(flaw, "write from,to,via,via,... : two NPUs, and what is between them in order");
    nodes.erase(nodes.begin() + 1);
    nodes.push_back(route.to);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const std::vector<LinkIndex> links = names.links(nodes[i], nodes[i + 1]);
      if (links.empty())
        return wrong(fmt::format("there is no link {} -> {}", topology.node_name(nodes[i]),
                                 topology.node_name(nodes[i + 1])),
                     names_remedy);
      route.links.push_back(links.front());
    }
    if (const auto [earlier, fresh] = lines.emplace(std::pair{route.from, route.to}, number);
        !fresh)
      return wrong(fmt::format("line {} has a route of these two already", earlier->second),
                   "leave one of them out");
    routing.routes.push_back(std::move(route));
  }
}

}  // namespace orrery::yaml
