// Chunks that pass the levels in turn, on fabrics on which some ranks are farther from each other
// than others: ranks do not drift apart, and predictions do not say so.
#include <catch2/catch.hpp>

#include "network/topology/builders/tree.h"
#include "system/rank/level_cost.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

NodeSpec server_of_8() {
  NodeSpec node;
  node.npus = node.nics = 8;
  node.inside = NodeInside::switched;
  node.link = {gigabytes_per_second(450), nanoseconds(500)};
  node.bus = {gigabytes_per_second(64), nanoseconds(400)};
  return node;
}

// Servers of 8 NPUs, a NIC of 50 GB/s each, on leaves of 12: pods of 24 servers, whose 192 NICs
// have 96 links to the core.
TopologySpec two_pods(std::int32_t servers) {
  FatTreeSpec tree;
  tree.node = server_of_8();
  tree.radix = 24;
  tree.nodes = servers;
  tree.oversubscription = {1, 2};
  tree.bandwidth = {gigabytes_per_second(50)};
  tree.latency = nanoseconds(500);
  return build_fat_tree(tree);
}

PhaseLevel between_servers(const Topology& topology) {
  return {1, topology.levels()[1].size, topology.port_level(1), gigabytes_per_second(50),
          gigabytes_per_second(50)};
}

// The links to the core carry what 12 servers of a pod send. Of 36 servers 12 are in the second
// pod, so no more of the first send there at any distance: the 35 pieces of `pat`, out and back,
// take what those of a ring take. Of 48, 16 send over 16 servers, and back over 32: those two
// pieces take 16/12, and the others, of 24, 12, 6 and 3 over up to 8 servers, are as fast: 2 (45 +
// 8/3) = 95.33 pieces instead of 94. So the taper is not what makes `pat` slow.
TEST_CASE("hardly any piece of pat waits at the taper of two pods") {
  const auto taken = [](std::int32_t servers) {
    const Topology topology(two_pods(servers));
    const SystemSpec system{};
    PhaseCosts costs(topology, system);
    const PhaseCost* pat =
        costs.of(NamedAlgorithm("pat"), Collective::all_reduce, between_servers(topology));
    REQUIRE(pat != nullptr);
    const Bytes pieces = bytes(std::int64_t{1'000'000} * servers);  // of 20 us each
    return pat->time(pieces, system, nullptr) - pat->time({}, system, nullptr);
  };
  CHECK(taken(36).value / 1'000'000 == 1400);  // us
  CHECK(taken(48) > microseconds(1900));
  CHECK(taken(48) < microseconds(1910));
}

// Four chunks of two stages, each 10 ns on the links and 1 ns on its way: three more chunks take 22
// ns each.
TEST_CASE("a chunk in turn waits for all stages of those before it") {
  LevelCost level;
  level.orders = {{{{.count = 2,
                     .latency = nanoseconds(1),
                     .sending = nanoseconds(10),
                     .at_port = nanoseconds(10),
                     .on_link = nanoseconds(10)}}}};
  const LevelCost* const levels[] = {&level};
  CHECK(wait_in_turn(levels, 1) == Duration{});
  CHECK(wait_in_turn(levels, 4) == nanoseconds(66));
}

// Seven leaves of up to five servers, 31 in all, with 5 uplinks for 40 NICs. A ring crosses a leaf
// once, by 8 NICs. So there a piece of 1 MB, 20 us by a NIC, takes 32 us: 60 of them 1920 us, which
// is the time of a ring whose steps take no longer. With steps that do, a piece takes 32 us once in
// five hops, 22.4 us on average, and the steps besides.
TEST_CASE("a ring over leaves that are not equally full waits for the taper on few of its hops") {
  LeafSpineSpec spec;
  spec.node = server_of_8();
  spec.nodes = 31;
  spec.leaves = 7;
  spec.plugs = 40;
  spec.spines = 5;
  spec.wire = {gigabytes_per_second(50), nanoseconds(500)};
  const Topology topology(build_leaf_spine(spec));
  const SystemSpec system{};
  PhaseCosts costs(topology, system);
  const PhaseCost* ring =
      costs.of(NamedAlgorithm("ring"), Collective::all_reduce,
               {1, 31, topology.port_level(1), gigabytes_per_second(50), gigabytes_per_second(50)});
  REQUIRE(ring != nullptr);
  const Bytes pieces = bytes(31'000'000);
  const Duration fast = ring->time(pieces, system, nullptr);
  CHECK(fast >= microseconds(1920));
  CHECK(fast < microseconds(1930));
  ProtocolCost slow;
  slow.step = microseconds(100);
  const Duration steps = ring->time({}, system, &slow);
  CHECK(steps > milliseconds(6));
  const Duration round = ring->time(pieces, system, &slow) - steps;
  CHECK(round >= microseconds(1344));
  CHECK(round < microseconds(1350));
}

// 16 servers, two on a leaf, with as many uplinks as NICs: 1 GB by steps of 5 us, in turn. The
// levels of leaves and spines share the NICs. A chunk on the spines is slower while the next one is
// on the leaf, and the one after that waits for it. When each level was taken to have a NIC of its
// own, 5.25 ms were predicted for 32 chunks, which take 5.83.
TEST_CASE("levels behind one NIC are predicted as they share it") {
  LeafSpineSpec spec;
  spec.node = server_of_8();
  spec.nodes = 16;
  spec.leaves = 8;
  spec.plugs = spec.spines = 16;
  spec.wire = {gigabytes_per_second(50), nanoseconds(500)};
  SystemSpec system;
  system.protocols.resize(1);
  system.protocols.front().step = microseconds(5);
  for (CollectiveSpec& one : system.collectives) one.protocol = Protocol::simple;
  NetworkSpec network;
  network.backend = "fluid";
  World world(build_leaf_spine(spec), system,
              World::everywhere(128, {collective(0, Collective::all_reduce, bytes(1'000'000'000))}),
              network);
  const Duration taken = world.run();
  CHECK(taken < microseconds(5'600));
  REQUIRE(world.runner->selection().choices().size() == 1);
  const Duration predicted = world.runner->selection().choices()[0].predicted;
  CHECK(predicted > taken - microseconds(30));
  CHECK(predicted < taken + microseconds(30));
}

Duration all_reduced(const std::string& algorithm, Bytes size) {
  SystemSpec system;
  system.protocols.resize(1);
  system.protocols.front().step = microseconds(2);
  for (CollectiveSpec& one : system.collectives) {
    one.protocol = Protocol::simple;
    one.algorithms = {NamedAlgorithm(algorithm)};
  }
  NetworkSpec network;
  network.backend = "fluid";
  World world(two_pods(36), system,
              World::everywhere(288, {collective(0, Collective::all_reduce, size)}), network);
  return world.run();
}

// Of 4 GB a NIC carries 2 x 35/36 x 500 MB, 19.4 ms. In turn `pat` takes little more, since no
// message comes before its stage is due, and is chosen; a ring waits for 70 stages of its first
// chunk, 27 ms in all. When messages of several stages met at ports `pat` took 45 ms.
TEST_CASE("between pods a large sum in turn takes little more than its bytes") {
  const Duration chosen = all_reduced("auto", bytes(4'000'000'000));
  CHECK(chosen > microseconds(19'400));
  CHECK(chosen < milliseconds(23));
  CHECK(all_reduced("auto", bytes(1'000'000)) < all_reduced("ring", bytes(1'000'000)));
}

}  // namespace
}  // namespace orrery
