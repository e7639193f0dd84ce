// Links and nodes that are named, without a file.
#include "network/written_links.h"

#include <catch2/catch.hpp>

#include "tests/network/routing/small_graphs.h"
#include "tests/problem_keys.h"

using namespace orrery;
using orrery::test::GraphMaker;
using orrery::test::keys;

namespace {

// Three NPUs with a link between each two, in both directions: six links.
TopologySpec triangle() {
  return {{{"node", LevelKind::fully_connected, 3, gigabytes_per_second(1), microseconds(1)}}};
}

}  // namespace

TEST_CASE("a fault is of one link, of both directions, or of a node") {
  RoutingSpec routing;
  CHECK(keys(add_faults(routing,
                        {{.at = microseconds(1), .link = "0 -> 1", .node = ""},
                         {.at = microseconds(1), .link = "1 - 2", .node = ""},
                         {.at = microseconds(1), .link = "", .node = "2"}},
                        triangle())) == "");
  REQUIRE(routing.faults.size() == 4);  // 1 + 2 + 1
  CHECK(routing.faults[0].link.has_value());
  CHECK(routing.faults[1].link != routing.faults[2].link);
  CHECK(routing.faults[3].node == NodeId{2});
}

TEST_CASE("a fault that cannot be names its place in the list") {
  RoutingSpec routing;
  const SpecProblems problems =
      add_faults(routing,
                 {{.at = {}, .link = "0 -> 1", .node = ""},
                  {.at = {}, .link = "0 -> 3", .node = ""},  // there are 0 to 2
                  {.at = {}, .link = "", .node = "1", .state = LinkCondition::degraded},
                  {.at = {}, .link = "0 -> 1", .node = "", .state = LinkCondition::degraded},
                  {.at = {},
                   .link = "0 -> 1",
                   .node = "",
                   .state = LinkCondition::degraded,
                   .bandwidth = gigabytes_per_second(2)}},  // of a link of 1 GB/s
                 triangle());
  CHECK(keys(problems) == "faults[1] faults[2] faults[3] faults[4]");
  CHECK(routing.faults.size() == 1);
}

// Links of 1 GB/s: half is 500 MB/s.
TEST_CASE("for a node that is degraded, its link to a switch is named, and can be written so") {
  RoutingSpec routing;
  GraphMaker maker(2, 0, 1);
  const TopologySpec spec = maker.join(0, 2).join(1, 2).spec();
  const std::string name = Topology(spec).node_name({2});
  const SpecProblems problems = add_faults(
      routing, {{.at = microseconds(1), .link = "", .node = "1", .state = LinkCondition::degraded}},
      spec);
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].remedy, Catch::Contains("{at: 1 us, link: 1 - " + name +
                                                 ", state: degraded, bandwidth: 500 MB/s}"));
  const WrittenFault followed{.at = microseconds(1),
                              .link = "1 - " + name,
                              .node = "",
                              .state = LinkCondition::degraded,
                              .bandwidth = Bandwidth{500'000'000}};
  CHECK(keys(add_faults(routing, {followed}, spec)) == "");
}

TEST_CASE("a link is watched once, and has one loss") {
  SwitchSpec switches;
  CHECK(keys(add_watched_links(switches, {"0 -> 1", "0 - 1", "nowhere"}, triangle())) ==
        "watch[2]");
  CHECK(switches.watched.size() == 2);
  CHECK(keys(add_lossy_links(switches, {{"0 -> 1", Fraction{0.5}}, {"0 - 1", Fraction{1}}},
                             triangle())) == "lossy_links[1] lossy_links[1]");  // all, and twice
}

TEST_CASE("a capture is between two NPUs") {
  NetworkSpec network;
  CHECK(keys(add_captures(network, {{"0 -> 1", {}}, {"0 -> 1", {0, 1}}}, triangle())) == "");
  CHECK(keys(add_captures(network, {{"0 -> 1", {1, 1}}, {"0 -> 1", {0, 3}}}, triangle())) ==
        "capture[0] capture[1]");
}
