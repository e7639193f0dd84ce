// What a protocol adds to a collective, times by hand. Four ranks on a switch of 1 GB/s, 1 ns a
// byte, L = 1 us; a ring all-reduce of 400 B is six steps of L + 100 ns.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

SystemSpec with_costs(std::vector<ProtocolCost> costs, Protocol protocol) {
  SystemSpec spec = plain_system("ring");
  spec.protocols = std::move(costs);
  for (CollectiveSpec& collective : spec.collectives) collective.protocol = protocol;
  return spec;
}

ProtocolCost cost(Protocol protocol, const std::string& algorithm, Duration launch, Duration step,
                  Share efficiency) {
  return {protocol, algorithm, launch, step, efficiency};
}

Duration time_of(const SystemSpec& spec, std::int64_t size, std::int32_t ranks = 4) {
  World world({switch_level(ranks, gigabytes_per_second(1), nanoseconds(500))}, spec,
              World::everywhere(ranks, {collective(0, Collective::all_reduce, bytes(size))}));
  const Duration time = world.run();
  REQUIRE(world.runner->finished());
  return time;
}

// Launch once, 700; in each of six steps 300 more and, at 1/2, 200 B on the wire instead of 100.
TEST_CASE("a protocol costs its launch once, its step and its flags in each message") {
  const auto ll = cost(Protocol::ll, "", nanoseconds(700), nanoseconds(300), {1, 2});
  CHECK(time_of(with_costs({ll}, Protocol::ll), 400) ==
        nanoseconds(700) + (kPath + nanoseconds(300 + 200)) * 6);
  CHECK(time_of(with_costs({ll}, Protocol::none), 400) == (kPath + nanoseconds(100)) * 6);
}

// 120 of 128: 480 B of data are 512 on the wire, 128 in each message.
TEST_CASE("flags count as bytes of the level") {
  const SystemSpec spec =
      with_costs({cost(Protocol::ll128, "", {}, {}, {120, 128})}, Protocol::ll128);
  World world({switch_level(4, gigabytes_per_second(1), nanoseconds(500))}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(480))}));
  CHECK(world.run() == (kPath + nanoseconds(128)) * 6);
  const auto traffic = world.network->statistics().levels[0].bytes_by_label[0];
  CHECK(traffic == bytes(128 * 6 * 4));
}

TEST_CASE("the row of an algorithm goes before the row for all, with and without a number") {
  const std::vector<ProtocolCost> costs = {cost(Protocol::ll, "", nanoseconds(1), {}, {1, 1}),
                                           cost(Protocol::ll, "ring", nanoseconds(2), {}, {1, 1})};
  CHECK(find_cost(costs, Protocol::ll, "ring")->launch == nanoseconds(2));
  CHECK(find_cost(costs, Protocol::ll, "ring:4")->launch == nanoseconds(2));
  CHECK(find_cost(costs, Protocol::ll, "direct")->launch == nanoseconds(1));
  CHECK(find_cost(costs, Protocol::simple, "ring") == nullptr);
}

// LL: 6 (1000 + 2 x), simple: 6 (1000 + 500 + x) with x = size / 4 in ns. Equal at x = 500, 2000 B;
// at a tie the first of simple, ll, ll128.
TEST_CASE("protocol auto takes the fastest of those that have costs") {
  const std::vector<ProtocolCost> costs = {cost(Protocol::simple, "", {}, nanoseconds(500), {1, 1}),
                                           cost(Protocol::ll, "", {}, {}, {1, 2})};
  const SystemSpec spec = with_costs(costs, Protocol::automatic);
  CHECK(time_of(spec, 400) == nanoseconds(1000 + 200) * 6);
  CHECK(time_of(spec, 2000) == nanoseconds(1000 + 500 + 500) * 6);
  CHECK(time_of(spec, 4000) == nanoseconds(1000 + 500 + 1000) * 6);
}

// Two calls one after the other each pay the launch; the ranks' second calls find each other though
// they come while the first is being launched.
TEST_CASE("calls keep their order while they are launched") {
  const SystemSpec spec =
      with_costs({cost(Protocol::ll, "", nanoseconds(700), {}, {1, 1})}, Protocol::ll);
  World world({switch_level(2, gigabytes_per_second(1), nanoseconds(500))}, spec,
              World::everywhere(2, {collective(0, Collective::all_reduce, bytes(2)),
                                    collective(1, Collective::all_gather, bytes(2))}));
  // Both begin at 700; a step is 1001, and the first steps share a port: the other's 1 B is behind.
  CHECK(world.run() >= nanoseconds(700 + 2 * 1001));
  CHECK(world.runner->finished());
}

// Each of six messages of 100 B takes the wire for 250 ns, as one of 250 B would; messages of 500 B
// are not affected. Nothing is sent where there is no data.
TEST_CASE("a small message takes the wire as long as the least one") {
  ProtocolCost ll128 = cost(Protocol::ll128, "", {}, {}, {1, 1});
  ll128.least = bytes(250);
  const SystemSpec spec = with_costs({ll128}, Protocol::ll128);
  CHECK(time_of(spec, 400) == (kPath + nanoseconds(250)) * 6);
  CHECK(time_of(spec, 2000) == (kPath + nanoseconds(500)) * 6);
}

TEST_CASE("a row for a scope holds there, and goes before one for all") {
  std::vector<ProtocolCost> costs = {cost(Protocol::ll, "", nanoseconds(1), {}, {1, 1}),
                                     cost(Protocol::ll, "", nanoseconds(2), {}, {1, 1}),
                                     cost(Protocol::ll, "ring", nanoseconds(3), {}, {1, 1})};
  costs[1].scope = Scope::local;
  CHECK(find_cost(costs, Protocol::ll, "direct", Scope::local)->launch == nanoseconds(2));
  CHECK(find_cost(costs, Protocol::ll, "direct", Scope::scale_out)->launch == nanoseconds(1));
  CHECK(find_cost(costs, Protocol::ll, "ring", Scope::local)->launch == nanoseconds(3));
  costs.erase(costs.begin());
  CHECK(find_cost(costs, Protocol::ll, "direct", Scope::scale_out) == nullptr);
}

// Two nodes of two ranks, 1 ns a byte, L = 1 us. Inside a node a step costs 300 ns, between nodes
// 700. Level by level: a reduce-scatter of 400 B and an all-gather inside, a step of 200 B each,
// and an all-reduce of 200 B between, two steps of 100 B. A
// ring through all four ranks has 3/2 of these bytes on the wire between nodes (data_share).
TEST_CASE("each level of a collective has the costs of its scope") {
  std::vector<ProtocolCost> costs = {cost(Protocol::ll, "", {}, nanoseconds(300), {1, 1}),
                                     cost(Protocol::ll, "", {}, nanoseconds(700), {1, 1})};
  costs[0].scope = Scope::local;
  costs[1].scope = Scope::scale_out;
  SystemSpec spec = with_costs(costs, Protocol::ll);
  for (CollectiveSpec& collective : spec.collectives)
    collective.schedule = HierarchicalSchedule::local_bandwidth_aware;
  LevelSpec node = switch_level(2, gigabytes_per_second(1), nanoseconds(500));
  node.scope = Scope::local;
  World world({node, switch_level(2, gigabytes_per_second(1), nanoseconds(500))}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(400))}));
  CHECK(world.run().value ==
        ((kPath + nanoseconds(300 + 200)) * 2 + (kPath + nanoseconds(700 + 150)) * 2).value);
}

// The switch of four ranks adds: at a quarter of 1 GB/s the buffer of 400 B passes a port in 1600
// ns, in the six messages of a ring. Two ranks, and calls that leave the node, have no such switch:
// auto takes what is slower there.
TEST_CASE("a switch that adds passes the buffer once") {
  ProtocolCost nvls = cost(Protocol::nvls, "ring", {}, {}, {1, 4});
  nvls.scope = Scope::local;
  const ProtocolCost simple = cost(Protocol::simple, "", {}, {}, {1, 16});
  const SystemSpec spec = with_costs({nvls, simple}, Protocol::automatic);
  const auto time_among = [&](std::int32_t ranks, Scope scope) {
    LevelSpec level = switch_level(ranks, gigabytes_per_second(1), nanoseconds(500));
    level.scope = scope;
    World world({level}, spec,
                World::everywhere(ranks, {collective(0, Collective::all_reduce, bytes(2400))}));
    return world.run();
  };
  CHECK(time_among(4, Scope::local) == kPath * 6 + nanoseconds(2400 * 4));
  // A ring of two: two steps of 1200 B at a sixteenth.
  CHECK(time_among(2, Scope::local) == (kPath + nanoseconds(1200 * 16)) * 2);
}

// A ring of n moves 2(n-1)/n of the buffer: algbw 1, 3/4, 2/3 of the link for 2, 3, 4 ranks.
TEST_CASE("the plateaus of an all-reduce among 2, 3 and 4 ranks are 1 : 0.75 : 0.667") {
  const auto simple = cost(Protocol::simple, "", microseconds(8), microseconds(3), {1, 1});
  const SystemSpec spec = with_costs({simple}, Protocol::simple);
  const std::int64_t size = 12'000'000'000;
  const auto algbw = [&](std::int32_t ranks) {
    return static_cast<double>(size) / static_cast<double>(time_of(spec, size, ranks).value);
  };
  CHECK(algbw(3) / algbw(2) == Approx(0.75).epsilon(1e-4));
  CHECK(algbw(4) / algbw(2) == Approx(2.0 / 3).epsilon(1e-4));
}

}  // namespace
}  // namespace orrery
