#include "simulation/result/fault_names.h"

#include <catch2/catch.hpp>

#include <optional>

#include "network/topology/builders/tree.h"

namespace orrery {
namespace {

using Names = std::vector<std::string>;

// Two leaves of two NPUs, below two spines.
Topology leaves() {
  TreeSpec tree;
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  tree.tiers = {{"leaf", 2, 2, cable}, {"spine", 2, 0, cable}};
  return Topology(build_tree(tree));
}

LinkIndex link_between(const Topology& topology, const std::string& name) {
  LinkIndex link = 0;
  while (topology.link_name(link) != name) ++link;
  return link;
}

TEST_CASE("what was wrong with the network while the run lasted, the earliest first") {
  const Topology topology = leaves();
  const LinkIndex up = link_between(topology, "leaf0 -> spine1");
  const LinkIndex down = link_between(topology, "spine1 -> leaf0");
  NetworkSpec spec;
  const auto names = [&] { return fault_names(spec, topology, milliseconds(10)); };
  const auto add = [&](Duration at, std::optional<LinkIndex> link, LinkCondition condition,
                       Bandwidth bandwidth = {}) {
    spec.routing.faults.push_back({Time{at}, link, std::nullopt, condition, bandwidth});
  };
  CHECK(names().empty());

  add(milliseconds(4), down, LinkCondition::degraded, gigabits_per_second(25));
  add(Duration{}, up, LinkCondition::down);
  CHECK(names() == Names{"leaf0 -> spine1 is down", "spine1 -> leaf0 has 3.125 GB/s from 4 ms"});

  add(milliseconds(3), up, LinkCondition::up);
  add(milliseconds(10), up, LinkCondition::down);  // the run is over
  CHECK(names() == Names{"leaf0 -> spine1 is down from 0 s to 3 ms",
                         "spine1 -> leaf0 has 3.125 GB/s from 4 ms"});
}

TEST_CASE("a link that fails both ways is named once, a node by its name") {
  const Topology topology = leaves();
  NetworkSpec spec;
  for (const char* name : {"leaf0 -> spine1", "spine1 -> leaf0"})
    spec.routing.faults.push_back({Time{milliseconds(1)}, link_between(topology, name),
                                   std::nullopt, LinkCondition::down, Bandwidth{}});
  const NodeId spine = topology.links()[link_between(topology, "leaf0 -> spine0")].to;
  spec.routing.faults.push_back(
      {Time{milliseconds(2)}, std::nullopt, spine, LinkCondition::down, Bandwidth{}});
  CHECK(fault_names(spec, topology, milliseconds(10)) ==
        Names{"leaf0 - spine1 is down from 1 ms", "spine0 is down from 2 ms"});
}

}  // namespace
}  // namespace orrery
