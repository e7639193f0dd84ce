#include "network/written_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "network/topology/names.h"

namespace orrery {

namespace {

// What is wrong with items of a list.
struct Wrong {
  explicit Wrong(std::string_view list_key) : list(list_key) {}

  void operator()(std::size_t item, std::string what, std::string remedy) {
    problems.push_back({item_key(list, item), std::move(what), std::move(remedy)});
  }

  std::string_view list;
  SpecProblems problems;
};

std::vector<LinkIndex> links_of_switches(const Topology& topology) {
  std::vector<LinkIndex> links;
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    if (topology.node_kind(topology.links()[i].from) == NodeKind::switched) links.push_back(i);
  return links;
}

// What to write for a node that is degraded: half of its link towards a switch, if it has one.
std::string as_degraded_link(const WrittenFault& fault, const Topology& topology,
                             const Names& names) {
  std::string link = "a - b";
  Bandwidth half = gigabits_per_second(10);
  const std::optional<NodeId> node = names.node(fault.node);
  for (const Link& of_node : topology.links()) {
    if (of_node.from != node || topology.node_kind(of_node.to) != NodeKind::switched) continue;
    link = fmt::format("{} - {}", fault.node, topology.node_name(of_node.to));
    half = Bandwidth{of_node.bandwidth.value / 2};
    break;
  }
  return fmt::format("{{at: {}, link: {}, state: degraded, bandwidth: {}}}", to_text(fault.at),
                     link, to_text(half));
}

}  // namespace

SpecProblems add_faults(RoutingSpec& routing, const std::vector<WrittenFault>& faults,
                        const TopologySpec& spec) {
  const Topology topology(spec);
  const Names names(topology);
  Wrong wrong("faults");
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const WrittenFault& fault = faults[i];
    const bool degraded = fault.state == LinkCondition::degraded;
    if (degraded && !fault.node.empty()) {
      wrong(i, "only a link can be degraded",
            fmt::format("name the link: {}; for more links write more entries",
                        as_degraded_link(fault, topology, names)));
      continue;
    }
    if (degraded != fault.bandwidth.has_value()) {
      wrong(i, "a bandwidth and the state degraded belong together",
            "write {at: 1 ms, link: a -> b, state: degraded, bandwidth: 10 Gb/s}");
      continue;
    }
    Fault made{Time{fault.at}, {}, {}, fault.state, fault.bandwidth.value_or(Bandwidth{})};
    if (!fault.node.empty()) {
      made.node = names.node(fault.node);
      if (made.node)
        routing.faults.push_back(made);
      else
        wrong(i, "there is no node " + in_quotes(fault.node), names_remedy);
      continue;
    }
    const std::vector<LinkIndex> links = names.links(fault.link);
    if (links.empty()) wrong(i, "there is no link " + in_quotes(fault.link), names_remedy);
    for (const LinkIndex link : links) {
      const Bandwidth whole = topology.links()[link].bandwidth;
      if (degraded && made.bandwidth > whole) {
        wrong(i,
              fmt::format("{} is more than the {} of the link", to_text(made.bandwidth),
                          to_text(whole)),
              "a degraded link carries less; write state: up for all of it");
        break;
      }
      made.link = link;
      routing.faults.push_back(made);
    }
  }
  return std::move(wrong.problems);
}

SpecProblems add_lossy_links(SwitchSpec& switches, const std::vector<WrittenLossyLink>& links,
                             const TopologySpec& topology) {
  const Topology built(topology);
  const Names names(built);
  Wrong wrong("lossy_links");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::vector<LinkIndex> found = names.links(links[i].link);
    if (found.empty()) wrong(i, "there is no link " + in_quotes(links[i].link), names_remedy);
    if (links[i].loss >= 1) wrong(i, "a link that loses everything", "write a probability below 1");
    for (const LinkIndex link : found) {
      if (std::ranges::find(switches.lossy_links, link, &LossyLink::link) !=
          switches.lossy_links.end())
        wrong(i, built.link_name(link) + " is there twice", "leave one of them out");
      switches.lossy_links.push_back({link, links[i].loss});
    }
  }
  return std::move(wrong.problems);
}

SpecProblems add_watched_links(SwitchSpec& switches, const std::vector<std::string>& links,
                               const TopologySpec& topology) {
  const Topology built(topology);
  const Names names(built);
  Wrong wrong("watch");
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::vector<LinkIndex> found =
        links[i] == "all" ? links_of_switches(built) : names.links(links[i]);
    if (found.empty()) wrong(i, "there is no link " + in_quotes(links[i]), names_remedy);
    for (const LinkIndex link : found)
      if (std::find(switches.watched.begin(), switches.watched.end(), link) ==
          switches.watched.end())
        switches.watched.push_back(link);
  }
  return std::move(wrong.problems);
}

SpecProblems add_captures(NetworkSpec& network, const std::vector<WrittenCapture>& captures,
                          const TopologySpec& spec) {
  const Topology topology(spec);
  const Names names(topology);
  Wrong wrong("capture");
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const auto& [link, between] = captures[i];
    CaptureSpec capture{link, names.links(link), {}};
    if (capture.links.empty()) wrong(i, "there is no link " + in_quotes(link), names_remedy);
    if (between.size() == 2 && between[0] != between[1] &&
        std::max(between[0], between[1]) < topology.npu_count())
      capture.between = {NodeId{between[0]}, NodeId{between[1]}};
    else if (!between.empty())
      wrong(i, "`between` are not two NPUs",
            fmt::format("name two of the NPUs 0 to {}", topology.npu_count() - 1));
    network.captures.push_back(std::move(capture));
  }
  return std::move(wrong.problems);
}

}  // namespace orrery
