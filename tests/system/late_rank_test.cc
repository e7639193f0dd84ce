// What one late rank costs the others, by hand, without latency.
#include <catch2/catch.hpp>

#include "network/topology/builders/tree.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

constexpr Bytes kBuffer = bytes(50'000'000);  // 1 ms at a port

// All ranks all-reduce; `late` computes for so long before.
Duration all_reduced(TopologySpec platform, std::int32_t ranks, Duration lateness,
                     HierarchicalSchedule schedule, bool in_turn = false) {
  constexpr Rank late = 1;
  auto programs = World::everywhere(ranks, {collective(0, Collective::all_reduce, kBuffer)});
  programs[late].insert(programs[late].begin(), compute(0, lateness));
  programs[late].back().id = 1;
  SystemSpec system = plain_system("ring");
  if (in_turn) system.protocols = {{Protocol::simple, "", Duration{}, Duration{}, {1, 1}}};
  for (CollectiveSpec& one : system.collectives) {
    one.schedule = schedule;
    one.in_turn = in_turn;
    if (in_turn) one.protocol = Protocol::simple;
  }
  NetworkSpec network;
  network.backend = "fluid";
  World world(std::move(platform), system, std::move(programs), network);
  return world.run();
}

// Half of the buffer, 500 us, there and back. Rank 1 is 600 us late, so half of rank 0 is there
// when it begins: it has its own half and the sum of rank 0's to send at once, in this order. Rank
// 0 waits for the first, until 1100 us, and sends the sum of it until 1600 us.
TEST_CASE("what a late rank sends at once goes in the order of its stages") {
  const TopologySpec pair{{switch_level(2, gigabytes_per_second(50), Duration{})}};
  CHECK(all_reduced(pair, 2, microseconds(600), HierarchicalSchedule::baseline) ==
        microseconds(1600));
}

TopologySpec two_leaves_of_two() {
  LeafSpineSpec spec;
  spec.leaves = spec.plugs = spec.spines = 2;
  spec.wire = {gigabytes_per_second(50), Duration{}};
  return build_leaf_spine(spec);
}

// A ring of four: 6 stages of a quarter, 250 us each. Each port has one sender, whose messages go
// in order. So nobody waits for longer than the rank is late.
TEST_CASE("a ring over all ranks takes longer by what one of them is late") {
  const TopologySpec platform = two_leaves_of_two();
  CHECK(all_reduced(platform, 4, Duration{}, HierarchicalSchedule::flat) == microseconds(1500));
  CHECK(all_reduced(platform, 4, microseconds(20), HierarchicalSchedule::flat) ==
        microseconds(1520));
}

// Level by level: half of the buffer on the leaf, 500 us; two stages of a quarter over the spines,
// 250 us each; half on the leaf. Rank 1 is L late. At 500 us, ranks 2 and 3 begin to send over the
// spines, and rank 0 still waits for L of rank 1. Its port takes both, at half of the rate: rank 0
// has all of rank 1 at 500 us + 2 L, and rank 1 has sent it. What they send over the spines begins
// then, and has left at 1000 us + 2 L, as has what ranks 2 and 3 send in answer.
TEST_CASE("level by level, what comes early doubles what one rank is late") {
  const TopologySpec platform = two_leaves_of_two();
  const auto taken = [&](Duration lateness) {
    return all_reduced(platform, 4, lateness, HierarchicalSchedule::local_bandwidth_aware);
  };
  CHECK(taken(Duration{}) == microseconds(1500));
  CHECK(taken(microseconds(20)) == microseconds(1540));
}

// In turn, what ranks 2 and 3 send over the spines waits until ranks 0 and 1 have begun that phase,
// at 500 us + L: then all do the same at the same time. Over the spines a part counts as what a
// ring of four sends, 3/4 of it and not 1/2: 375 us there, and back.
TEST_CASE("in turn nothing comes before its phase has begun") {
  const TopologySpec platform = two_leaves_of_two();
  const auto taken = [&](Duration lateness) {
    return all_reduced(platform, 4, lateness, HierarchicalSchedule::local_bandwidth_aware, true);
  };
  CHECK(taken(Duration{}) == microseconds(1750));
  CHECK(taken(microseconds(20)) == microseconds(1770));
}

}  // namespace
}  // namespace orrery
