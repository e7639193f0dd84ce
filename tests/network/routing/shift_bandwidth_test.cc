#include "network/shift_bandwidth.h"

#include <catch2/catch.hpp>

#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/tree.h"

namespace orrery {
namespace {

Topology routers_of_two() {
  const Wire wire{gigabytes_per_second(25), nanoseconds(500)};
  DragonflySpec spec;
  spec.plugs = 2;
  spec.routers = 3;
  spec.globals = 1;
  spec.plug_wire = spec.local_wire = spec.global_wire = wire;
  return Topology(build_dragonfly(spec));
}

// Two NPUs on each of three routers, all links of 25 GB/s. To the next router both share a link. To
// both others at once each NPU sends over its plug half the time, and over the links as long.
TEST_CASE("between two routers NPUs share a link") {
  const Topology topology = routers_of_two();
  REQUIRE(shifts_differ(topology));
  const auto next = shift_bandwidths(topology, 1, {{{{1, 1}}, 2}});
  REQUIRE(next);
  CHECK(next->in_turn == gigabits_per_second(100));
  CHECK(next->together == gigabits_per_second(100));
  const auto both = shift_bandwidths(topology, 1, {{{{1, 1}}, 1}, {{{2, 1}}, 1}});
  REQUIRE(both);
  CHECK(both->in_turn == gigabits_per_second(100));
  CHECK(both->together == gigabits_per_second(200));
  const auto at_once = shift_bandwidths(topology, 1, {{{{1, 1}, {2, 1}}, 1}});
  REQUIRE(at_once);
  CHECK(at_once->in_turn == gigabits_per_second(200));
}

TEST_CASE("switches above leaves give to one what they give to many") {
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 8, 2, cable}, {"spine", 4, 0, cable}};
  CHECK_FALSE(shifts_differ(Topology(build_tree(tree))));
}

}  // namespace
}  // namespace orrery
