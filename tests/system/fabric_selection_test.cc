// What `auto` chooses over three levels, of which two have the same ports, for what has a root, and
// on fabrics whose routers are wired directly.
#include <catch2/catch.hpp>

#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/tree.h"
#include "system/rank/selection.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

NodeSpec server(const Wire& link) {
  NodeSpec node;
  node.npus = 8;
  node.inside = NodeInside::switched;
  node.link = link;
  return node;
}

struct Chosen {
  std::string text;
  Duration predicted;
};

Chosen chosen_on(const Topology& topology, const GroupAlongLevels& group, Collective kind,
                 Bytes size) {
  CollectiveSpec rule;
  rule.algorithms = {NamedAlgorithm("auto")};
  rule.any_schedule = rule.any_chunks = true;
  SystemSpec system;
  for (CollectiveSpec& one : system.collectives) one = rule;
  Selection selection(topology, system);
  const auto choice = selection.fastest(rule, group, kind, size);
  REQUIRE(choice);
  std::vector<int> levels;
  for (int i = 0; i < std::ssize(group); ++i) levels.push_back(i);
  return {text_of(levels, choice->spec), choice->predicted};
}

// Three leaves of two servers of 8, a NIC of 50 GB/s for each NPU. Whole, 1 GB leaves the server of
// the root by one NIC, 20 ms at the least. Cut among the 8 of the server, and again among the two
// servers of the leaf, 1/16 of it leaves by each of 16 NICs: at 4:1 these have 4 uplinks of 50
// GB/s, so 5 ms, and 2.5 ms for the other half of the leaf beside that. `direct` only cuts and
// gathers.
TEST_CASE("auto cuts what has a root on every inner level") {
  const Wire cable{gigabytes_per_second(50), microseconds(1)};
  TreeSpec tree;
  tree.node = server({gigabytes_per_second(450), nanoseconds(500)});
  tree.tiers = {{"leaf", 16, 4, cable}, {"spine", 3, 0, cable}};
  const Topology topology(build_tree(tree));
  CollectiveSpec by_level;
  by_level.schedule = HierarchicalSchedule::local_bandwidth_aware;
  by_level.any_schedule = false;
  const SystemSpec system;
  const GroupAlongLevels all = {{0, 8}, {1, 2}, {2, 3}};
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const auto chosen =
        Selection(topology, system).fastest(by_level, all, kind, bytes(1'000'000'000));
    REQUIRE(chosen);
    CHECK_THAT(text_of({0, 1, 2}, chosen->spec), Catch::StartsWith("direct+direct+"));
    CHECK(chosen->predicted > milliseconds(5));
    CHECK(chosen->predicted < milliseconds(8));
    // Rings through all 48 cross each leaf once, over all uplinks.
    const Chosen rings = chosen_on(topology, all, kind, bytes(1'000'000'000));
    CHECK(rings.text == "ring:4, flat");
    CHECK(rings.predicted > milliseconds(5));
    CHECK(rings.predicted < chosen->predicted);
  }
}

// Eight leaves of four servers of 8, no taper: of 1 GB a NIC carries 2 (3/4 of 125 MB + 7/8
// of 31.25 MB), 242.2 MB at 50 GB/s, 4.844 ms on leaf and spine together. In the server a ring
// needs 1.94 ms each way, and lets the first chunk out when nearly all are through: then the NICs
// begin late, and 1.7 + 4.8 ms is the least. `direct` and `pat` let it out sooner.
TEST_CASE("auto lets the first chunk out of the servers soon") {
  const Wire cable{gigabytes_per_second(50), microseconds(1)};
  TreeSpec tree;
  tree.node = server({gigabytes_per_second(450), nanoseconds(500)});
  tree.tiers = {{"leaf", 32, 32, cable}, {"spine", 8, 0, cable}};
  const Topology topology(build_tree(tree));
  const Chosen chosen =
      chosen_on(topology, {{0, 8}, {1, 4}, {2, 8}}, Collective::all_reduce, bytes(1'000'000'000));
  CHECK_THAT(chosen.text, !Catch::StartsWith("ring"));
  CHECK(chosen.predicted > microseconds(4844));
  CHECK(chosen.predicted < microseconds(5100));
}

// Three leaves of four servers of 8, 2:1. Of 1 GB a NIC gets 2/3 of 31.25 MB over its spines, at 25
// GB/s, and 3/4 of 125 MB in its leaf: 2.292 ms at 50 GB/s. Then 1.944 ms follow in the server. A
// ring posts its first stage for all 32 chunks before the second one of the first chunk, and the
// leaf has half of each NIC while the spines are busy, for 0.83 ms; so hardly any chunk comes to
// the server before 1.6 ms, and 1.6 + 1.94 is the least. Simulated: 3.543 ms, and 2.729 of `pat`.
TEST_CASE("auto knows how late the first chunk leaves a leaf behind a taper") {
  const Wire cable{gigabytes_per_second(50), nanoseconds(500)};
  TreeSpec tree;
  tree.node = server({gigabytes_per_second(450), nanoseconds(200)});
  tree.node.nics = 8;
  tree.node.bus = {gigabytes_per_second(64), nanoseconds(400)};
  tree.tiers = {{"leaf", 32, 16, cable}, {"spine", 3, 0, cable}};
  const Topology topology(build_tree(tree));
  const Chosen chosen =
      chosen_on(topology, {{0, 8}, {1, 4}, {2, 3}}, Collective::all_gather, bytes(1'000'000'000));
  CHECK_THAT(chosen.text, Catch::EndsWith("+direct+direct, baseline"));
  CHECK(chosen.predicted > microseconds(2410));
  CHECK(chosen.predicted < microseconds(2440));
}

// 12 NPUs of 50 GB/s, 10 GB: a chain of 32 chunks has passed 11 links after 32 + 10 chunks, 42 / 32
// of 200 ms, and a ring, which cuts each of them into 12 parts, after 1 + 10 / (32 x 12) of 200 ms.
// In a tree the leaves post all chunks before what they pass on for others, and two chunks alone do
// not show it: 356 ms.
TEST_CASE("auto reduces by a ring where trees wait for their leaves") {
  const Topology topology({{switch_level(12, gigabytes_per_second(50), nanoseconds(500))}});
  const Chosen chosen = chosen_on(topology, {{0, 12}}, Collective::reduce, bytes(10'000'000'000));
  CHECK(chosen.text == "ring");
  CHECK(chosen.predicted > microseconds(205'200));
  CHECK(chosen.predicted < microseconds(206'500));
}

// 12 NPUs of 50 GB/s, a link of 1 us. The root sends 1 KiB to each of the others, 20.48 ns each: 11
// x 20.48 ns + 2 x 1 us + 2 x 10 ns = 2.245 us. A binomial tree passes it on in four steps of 2.04
// us. What is larger goes in steps: of 1 MB the root would send 11 MB, 220 us.
TEST_CASE("auto lets the root send small buffers to all") {
  const Topology topology({{switch_level(12, gigabytes_per_second(50), microseconds(1))}});
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const Chosen small = chosen_on(topology, {{0, 12}}, kind, kibibytes(1));
    CHECK(small.text == "linear");
    CHECK(small.predicted > nanoseconds(2240));
    CHECK(small.predicted < nanoseconds(2250));
    CHECK(chosen_on(topology, {{0, 12}}, kind, bytes(1'000'000)).text != "linear");
  }
}

// The same tree, no server: to the other NPU of a leaf two links of 1 us, to other leaves four.
TEST_CASE("what crosses a spine passes four links") {
  const Wire cable{gigabytes_per_second(50), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 2, 2, cable}, {"spine", 4, 0, cable}};
  const Topology topology(build_tree(tree));
  const SystemSpec system{};
  const PhaseCosts costs(topology, system);
  CHECK(costs.alone({0, 2, 0, cable.bandwidth, cable.bandwidth}).latency == microseconds(1));
  CHECK(costs.alone({1, 4, 0, cable.bandwidth, cable.bandwidth}).latency == microseconds(2));
}

// To cut a buffer among 8 the root posts 7 messages, of which none takes less than `least`.
TEST_CASE("a protocol's least message counts for each that the root sends") {
  const Topology topology({{switch_level(8, gigabytes_per_second(100), Duration{})}});
  SystemSpec system;
  PhaseCosts costs(topology, system);
  const PhaseLevel all{0, 8, 0, gigabytes_per_second(100), gigabytes_per_second(100)};
  const PhaseCost* cost = costs.of(NamedAlgorithm("direct"), Collective::scatter, all);
  REQUIRE(cost != nullptr);
  ProtocolCost protocol;
  protocol.least = bytes(1'000'000);
  CHECK(cost->time(bytes(8'000), system, &protocol) >= microseconds(70));
  CHECK(cost->time(bytes(8'000), system, &protocol) <= microseconds(71));
}

// Routers with 8 plugs, 4 in a group, one link of 25 GB/s between two of them, as each plug.
TopologySpec four_routers_in_a_group() {
  const Wire wire{gigabytes_per_second(25), nanoseconds(500)};
  DragonflySpec spec;
  spec.node = server({gigabytes_per_second(300), nanoseconds(500)});
  spec.plugs = 8;
  spec.routers = 4;
  spec.globals = 1;
  spec.plug_wire = spec.local_wire = spec.global_wire = wire;
  return build_dragonfly(spec);
}

PhaseLevel between_routers(const Topology& topology) {
  return {1, 4, topology.port_level(1), gigabytes_per_second(25), gigabytes_per_second(25)};
}

// So to a neighbour an NPU has an eighth of a link, and a ring of 4 that sums 125 MB of each NPU
// takes 6 x 31.25 MB / 3.125 GB/s, 60 ms. So do the stages of `pat`, but of its 6 pieces two go one
// router further, two go two and two go one back: three links, each busy for 20 ms, when chunks
// follow each other. `direct` uses all three in each of its two stages, for 10 ms each.
TEST_CASE("auto knows how few links join two routers") {
  const Topology topology(four_routers_in_a_group());
  const SystemSpec system{};
  PhaseCosts costs(topology, system);
  const auto seconds = [&](const char* algorithm) {
    const PhaseCost* cost =
        costs.of(NamedAlgorithm(algorithm), Collective::all_reduce, between_routers(topology));
    REQUIRE(cost != nullptr);
    return std::pair(cost->time(bytes(125'000'000), system, nullptr),
                     cost->load(bytes(125'000'000), nullptr).shared);
  };
  const auto [ring, ring_again] = seconds("ring");
  CHECK(ring > milliseconds(60));
  CHECK(ring < microseconds(60'100));
  CHECK(ring_again == milliseconds(60));
  const auto [pat, pat_again] = seconds("pat");
  CHECK(pat > milliseconds(60));
  CHECK(pat < microseconds(60'100));
  CHECK(pat_again == milliseconds(20));
  const auto [direct, direct_again] = seconds("direct");
  CHECK(direct > milliseconds(20));
  CHECK(direct < microseconds(20'100));
  CHECK(direct_again == milliseconds(20));
}

// The same routers. A chain of four passes 125 MB over three links, 40 ms each: 120 ms for one
// chunk, and 40 ms for each that follows. At its port an NPU would send it in 5 ms.
TEST_CASE("auto knows that a chunk crosses one shared link after the other") {
  const Topology topology(four_routers_in_a_group());
  const SystemSpec system{};
  PhaseCosts costs(topology, system);
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const PhaseCost* chain = costs.of(NamedAlgorithm("chain"), kind, between_routers(topology));
    REQUIRE(chain != nullptr);
    const Duration one = chain->time(bytes(125'000'000), system, nullptr);
    CHECK(one > milliseconds(120));
    CHECK(one < microseconds(120'100));
    const Duration next = chain->load(bytes(125'000'000), nullptr).shared;
    CHECK(next > microseconds(39'990));
    CHECK(next < microseconds(40'010));
  }
}

// A library lays rings over all links where each pair of NPUs has one, and `direct` stands for
// them. So it does between routers: to reduce and scatter 125 MB a ring takes three stages of 10
// ms, `direct` sends over the three links at once.
TEST_CASE("under a protocol auto takes all links of a router") {
  const Topology topology(four_routers_in_a_group());
  SystemSpec system;
  system.protocols.resize(1);
  CollectiveSpec rule;
  rule.protocol = Protocol::automatic;
  for (const Collective kind : {Collective::reduce_scatter, Collective::all_gather}) {
    Selection selection(topology, system);
    const auto choice = selection.fastest(rule, {{1, 4}}, kind, bytes(125'000'000));
    REQUIRE(choice);
    CHECK(choice->spec.algorithms.front().name == "direct");
    CHECK(choice->predicted > milliseconds(10));
    CHECK(choice->predicted < microseconds(10'100));
    // Inside a server they have one way, through its switch.
    const auto inside = selection.fastest(rule, {{0, 8}}, kind, bytes(125'000'000));
    REQUIRE(inside);
    CHECK(inside->spec.algorithms.front().name == "ring");
  }
}

// Five NPUs of 50 GB/s on leaves of two, one uplink of 50 GB/s each; the last leaf has one. To a
// neighbour one NPU of a leaf sends across the spine, at full speed: a ring that gathers 1 GB
// passes 4 x 200 MB, 16 ms. Two NPUs send across it to the NPU after next, at half of the speed. Of
// the 4 parts of `pat` one goes so far, one to the neighbour behind and two to the one ahead: 16 +
// 4 ms. Of the 8 messages of a leaf's NPUs `direct` sends 6 across, 24 ms.
TEST_CASE("auto knows which messages cross leaves that are not equally full") {
  LeafSpineSpec spec;
  spec.nodes = 5;
  spec.leaves = 3;
  spec.plugs = 2;
  spec.spines = 1;
  spec.wire = {gigabytes_per_second(50), nanoseconds(500)};
  const Topology topology(build_leaf_spine(spec));
  const SystemSpec system{};
  PhaseCosts costs(topology, system);
  const PhaseLevel all{0, 5, topology.port_level(0), spec.wire.bandwidth, spec.wire.bandwidth};
  const auto load = [&](const char* algorithm) {
    const PhaseCost* cost = costs.of(NamedAlgorithm(algorithm), Collective::all_gather, all);
    REQUIRE(cost != nullptr);
    return cost->load(bytes(1'000'000'000), nullptr).shared;
  };
  CHECK(load("ring") == milliseconds(16));
  CHECK(load("pat") == milliseconds(20));
  CHECK(load("direct") > microseconds(23'999));
  CHECK(load("direct") < microseconds(24'001));
}

// 13 servers of 8 on three leaves of five, 40 NICs of 50 GB/s and 10 uplinks as wide: a full leaf
// sends 40 x 256 MB x 64 / 104 = 6.302 GB over 500 GB/s, 12.6 ms. The NICs alone would take 12/13 x
// 256 MB at 50 GB/s, 4.73 ms.
TEST_CASE("auto knows the taper of the fullest leaf, of exchanges too") {
  LeafSpineSpec spec;
  spec.node = server({gigabytes_per_second(450), nanoseconds(500)});
  spec.node.nics = 8;
  spec.node.bus = {gigabytes_per_second(64), nanoseconds(400)};
  spec.nodes = 13;
  spec.leaves = 3;
  spec.plugs = 40;
  spec.spines = 10;
  spec.wire = {gigabytes_per_second(50), nanoseconds(500)};
  const Topology topology(build_leaf_spine(spec));
  const Chosen chosen =
      chosen_on(topology, {{0, 8}, {1, 13}}, Collective::all_to_all, bytes(256'000'000));
  CHECK(chosen.predicted > microseconds(12'600));
  CHECK(chosen.predicted < microseconds(13'900));
}

Chosen chosen_of_library(const Topology& topology, const GroupAlongLevels& group, Bytes size) {
  CollectiveSpec rule;
  rule.algorithms = {NamedAlgorithm("auto")};
  rule.any_schedule = rule.any_chunks = true;
  rule.protocol = Protocol::automatic;
  SystemSpec system;
  system.protocols = {{Protocol::simple, "", microseconds(8), microseconds(3), {1, 1}}};
  const auto choice =
      Selection(topology, system).fastest(rule, group, Collective::all_reduce, size);
  REQUIRE(choice);
  std::vector<int> levels;
  for (int i = 0; i < std::ssize(group); ++i) levels.push_back(i);
  return {text_of(levels, choice->spec), choice->predicted};
}

// Three leaves of eight NPUs without servers, two uplinks each. A ring of all 24 crosses each leaf
// once, so the taper is not felt: 2 x 23/24 x 256 MB at 12.5 GB/s are 39.25 ms. A step pays 3 us
// and four links of 0.5 us: 46 are 0.23 ms and a little, and a call 8 us. A few bytes go in fewer
// steps than rings have in a leaf alone, 14.
TEST_CASE("NPUs on leaves are nodes: one ring for all, and for a few bytes none in a leaf") {
  const Wire cable{gigabits_per_second(100), nanoseconds(500)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 8, 2, cable}, {"spine", 3, 0, cable}};
  const Topology topology(build_tree(tree));
  const Chosen large = chosen_of_library(topology, {{0, 8}, {1, 3}}, bytes(256'000'000));
  CHECK(large.text == "ring/simple, flat in turn");
  CHECK(large.predicted > microseconds(39'480));
  CHECK(large.predicted < microseconds(39'560));
  const Chosen small = chosen_of_library(topology, {{0, 8}, {1, 3}}, kibibytes(4));
  CHECK_THAT(small.text, !Catch::StartsWith("ring"));
  CHECK(small.predicted < microseconds(8) + microseconds(5) * 14);
}

// The same leaves: a few bytes gathered level by level pass two links of 0.5 us, and then four.
// Each NPU sends to the root at once in 2 us and 20 ns.
TEST_CASE("NPUs on leaves send a few bytes to a root at once") {
  const Wire cable{gigabits_per_second(100), nanoseconds(500)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 8, 2, cable}, {"spine", 3, 0, cable}};
  const Topology topology(build_tree(tree));
  for (const Collective kind : {Collective::gather, Collective::scatter}) {
    const Chosen chosen = chosen_on(topology, {{0, 8}, {1, 3}}, kind, bytes(240));
    CHECK(chosen.text == "direct, flat");
    CHECK(chosen.predicted >= nanoseconds(2'020));
    CHECK(chosen.predicted < nanoseconds(2'200));
  }
}

// A step pays 3 us and 0.4 us of links, and 20 ns at its ends. A ring of 72 has 142, 485 us; 2 x 7
// of a tree are 48 us, and outside 6 steps of 4 us. Of 8 NPUs NCCL has rings: 14 steps, 48 us.
TEST_CASE("a rack of NVLink has trees, a server has rings") {
  const auto platform = [](std::int32_t npus) {
    std::vector<LevelSpec> levels{switch_level(npus, gigabytes_per_second(900), nanoseconds(200)),
                                  switch_level(8, gigabytes_per_second(50), nanoseconds(500))};
    levels[0].scope = Scope::local;
    return Topology({levels});
  };
  const Chosen rack = chosen_of_library(platform(72), {{0, 72}, {1, 8}}, kibibytes(64));
  CHECK_THAT(rack.text, Catch::StartsWith("pat+"));
  CHECK(rack.predicted < microseconds(90));
  const Chosen node = chosen_of_library(platform(8), {{0, 8}, {1, 8}}, kibibytes(64));
  CHECK_THAT(node.text, Catch::StartsWith("ring+"));
}

}  // namespace
}  // namespace orrery
