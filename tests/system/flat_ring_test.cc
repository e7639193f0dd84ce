// Broadcasts and reduces by rings: on one level, and flat through all ranks of several.
#include "system/rank/flat_ring.h"

#include <catch2/catch.hpp>

#include "network/topology/builders/tree.h"
#include "system/rank/prediction.h"
#include "system/rank/selection.h"
#include "tests/system/fastest_choice.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

constexpr Bytes kMany = bytes(256'000'000);

// 24 NPUs of 12 GB/s: 256 MB leave the root in 21.33 ms. In 32 chunks of 24 parts a part takes 28
// us, and 22 more hops of it 0.61 ms. The same in 32 chunks whole, along a chain: 22 x 667 us.
TEST_CASE("auto broadcasts and reduces by rings on a switch") {
  const Topology topology({{switch_level(24, gigabytes_per_second(12), microseconds(3))}});
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const AutomaticChoice chosen = fastest_choice(topology, {{0, 24}}, kind, kMany);
    CHECK(chosen.spec.algorithms.front().name == "ring");
    CHECK(chosen.predicted > microseconds(21'333));
    CHECK(chosen.predicted < microseconds(22'400));
  }
  // A few bytes take 5 steps by a tree, 23 by a ring.
  CHECK(fastest_choice(topology, {{0, 24}}, Collective::broadcast, kibibytes(4))
            .spec.algorithms.front()
            .name != "ring");
}

std::vector<LevelSpec> servers() {
  return {switch_level(4, gigabytes_per_second(200), nanoseconds(500)),
          switch_level(4, gigabytes_per_second(50), microseconds(2))};
}

// Four servers of four, 200 GB/s inside and 50 out of each NPU. Four rings leave a server by four
// NICs with 64 MB each, 1.28 ms, and pass 256 MB inside, 1.28 ms as well. Level by level the root
// sends 3/4 of it twice through its port inside, 1.92 ms.
TEST_CASE("auto lays rings through all servers for what has a root") {
  const Topology topology({servers()});
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const AutomaticChoice chosen = fastest_choice(topology, {{0, 4}, {1, 4}}, kind, kMany);
    CHECK(chosen.spec.algorithms.front().name == "ring:4");
    CHECK(chosen.spec.schedule == HierarchicalSchedule::flat);
    CHECK(chosen.predicted >= microseconds(1280));
    CHECK(chosen.predicted < microseconds(1400));
  }
}

// What is said of rings is what they take on the analytical backend. Where they reduce, parts of
// several rings meet at ports, which is not in it.
TEST_CASE("flat rings are predicted as they are simulated") {
  const Topology topology({servers()});
  const SystemSpec system;
  for (const Collective kind : {Collective::broadcast, Collective::reduce})
    for (const Bytes size : {bytes(1'000'000), bytes(64'000'000), kMany})
      for (const std::int32_t chunks : {1, 4, 16}) {
        CollectiveSpec rule;
        rule.any_chunks = false;
        rule.chunks = chunks;
        const auto rings = fastest_flat_ring(topology, system, rule, {{0, 4}, {1, 4}}, kind, size);
        REQUIRE(rings);
        const Duration simulated = predicted_time(servers(), system, rings->spec, kind, size);
        INFO(name_of(kind) << " of " << size.value << " B in " << chunks << " chunks");
        const std::int64_t least = kind == Collective::reduce ? 75 : 90;  // per cent
        CHECK(rings->predicted.value * 100 >= simulated.value * least);
        CHECK(rings->predicted.value * 10 <= simulated.value * 11);
      }
}

// A torus of 6 x 6, 40 GB/s a link. Rings through all rows pass each of them both ways, so a link
// carries half of the buffer: 3.2 ms. Level by level the links of a column carry all of it.
TEST_CASE("auto lays rings through all rows of a torus") {
  LevelSpec ring = switch_level(6, gigabytes_per_second(40), microseconds(1));
  ring.kind = LevelKind::ring;
  const Topology topology({{ring, ring}});
  const AutomaticChoice chosen =
      fastest_choice(topology, {{0, 6}, {1, 6}}, Collective::broadcast, kMany);
  CHECK(chosen.spec.algorithms.front().name == "ring:2");
  CHECK(chosen.predicted >= microseconds(3200));
  CHECK(chosen.predicted < microseconds(3600));
}

// Four leaves of four NPUs, 100 Gb/s, two uplinks. A ring crosses each leaf once in and once out,
// and two of them share a port, not an uplink: 20.48 ms.
TEST_CASE("a ring does not feel the taper of leaves") {
  TreeSpec tree;
  const Wire cable{kBandwidth, microseconds(1)};
  tree.tiers = {{"leaf", 4, 2, cable}, {"spine", 4, 0, cable}};
  const Topology topology(build_tree(tree));
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    const AutomaticChoice chosen = fastest_choice(topology, {{0, 4}, {1, 4}}, kind, kMany);
    CHECK_THAT(chosen.spec.algorithms.front().name, Catch::StartsWith("ring"));
    CHECK(chosen.predicted >= microseconds(20'480));
    CHECK(chosen.predicted < microseconds(21'500));
  }
}

// Where an NPU has a part of a level only, levels do not say where it sits; and what ranks send
// apart (gather, scatter) goes by no ring.
TEST_CASE("flat rings are not tried where they are none") {
  const Topology topology({servers()});
  const SystemSpec system;
  const CollectiveSpec rule;
  const auto tried = [&](const GroupAlongLevels& group, Collective kind) {
    return fastest_flat_ring(topology, system, rule, group, kind, kMany).has_value();
  };
  CHECK(tried({{0, 4}, {1, 4}}, Collective::broadcast));
  CHECK_FALSE(tried({{0, 4}}, Collective::broadcast));
  CHECK_FALSE(tried({{0, 4}, {1, 4}}, Collective::gather));
  CHECK_FALSE(tried({{0, 4}, {1, 6}}, Collective::broadcast));
}

}  // namespace
}  // namespace orrery
