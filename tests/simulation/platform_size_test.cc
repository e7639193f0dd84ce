// Platforms of fewer and of more NPUs than they were described with.
#include "simulation/platform_size.h"

#include <catch2/catch.hpp>

#include "tests/problem_keys.h"

using namespace orrery;
using orrery::test::keys;

namespace {

LevelSpec named_level(const char* name, std::int32_t size) {
  return {name, LevelKind::switched, size, gigabytes_per_second(1), microseconds(1)};
}

TopologySpec nodes_of_four() { return {{named_level("node", 4), named_level("fabric", 2)}}; }

}  // namespace

TEST_CASE("a platform becomes smaller in whole inner groups") {
  TopologySpec topology{{named_level("node", 4), named_level("rack", 3), named_level("fabric", 2)}};
  CHECK(keys(keep_ranks(topology, 8, "--ranks")) == "");  // two nodes of a rack
  REQUIRE(topology.levels.size() == 2);
  CHECK(topology.levels[1].size == 2);
  CHECK(keys(keep_ranks(topology, 3, "--ranks")) == "");  // a part of one node
  REQUIRE(topology.levels.size() == 1);
  CHECK(topology.levels[0].size == 3);
}

TEST_CASE("a platform has no part of a second node, and no more NPUs than it has") {
  TopologySpec topology = nodes_of_four();
  CHECK(keys(keep_ranks(topology, 6, "--ranks")) == "topology");  // 1.5 nodes
  CHECK(keys(keep_ranks(topology, 9, "--ranks")) == "topology");
  CHECK(keys(keep_ranks(topology, 1, "ranks")) == "ranks");
  CHECK(topology.levels[1].size == 2);
}

TEST_CASE("a platform becomes larger by its outermost level") {
  TopologySpec topology = nodes_of_four();
  CHECK(keys(resize(topology, 18)) == "ranks");  // 4.5 nodes
  CHECK(keys(resize(topology, 20)) == "");
  CHECK(topology.levels[0].size == 4);
  CHECK(topology.levels[1].size == 5);
}
