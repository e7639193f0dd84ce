// What `auto` knows of links that messages pass on their way: between routers where a ring leads
// through all NPUs of them, on meshes, and on a part of a ring.
#include <catch2/catch.hpp>

#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/hyperx.h"
#include "system/rank/selection.h"
#include "tests/system/fastest_choice.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

Duration whole_buffer_of(const Topology& topology, const GroupAlongLevels& group,
                         const char* algorithm, Collective kind, Bytes size) {
  const SystemSpec system;
  PhaseCosts costs(topology, system);
  const PhaseCost* cost = costs.of(NamedAlgorithm(algorithm), kind, costs.whole(group));
  REQUIRE(cost != nullptr);
  return cost->time(size, system, nullptr);
}

// Two routers in a group, two NPUs at each, three groups: 12 NPUs of 12.5 GB/s. A ring of all goes
// over each local link once from router to router, and again from group to group, as the global
// link hangs on the other router: 2 x 11/12 x 32 MB / 12.5 GB/s = 4.69 ms, twice. `direct` level by
// level keeps a port busy for 4.69 ms.
TEST_CASE("a ring from group to group takes local links again") {
  const Wire wire{kBandwidth, microseconds(1)};
  DragonflySpec spec;
  spec.plugs = 2;
  spec.routers = 2;
  spec.globals = 1;
  spec.plug_wire = spec.local_wire = spec.global_wire = wire;
  const Topology topology(build_dragonfly(spec));
  const GroupAlongLevels all = {{0, 2}, {1, 2}, {2, 3}};
  constexpr Bytes size = bytes(32'000'000);
  const Duration ring = whole_buffer_of(topology, all, "ring", Collective::all_reduce, size);
  CHECK(ring > microseconds(9386));
  CHECK(ring < microseconds(9600));
  CHECK(fastest_choice(topology, all, Collective::all_reduce, size).predicted < microseconds(5400));
}

// 3 x 4 routers with three NPUs each, 25 GB/s. Where all send to all directly the ports are full:
// 35/36 x 16 MB / 25 GB/s = 622 us. `pat` sends half of the buffer to the NPU 32 further on, and
// more to those 16 and 8 on: the routers have one link there for three NPUs.
TEST_CASE("auto knows what flat algorithms take between routers") {
  const Wire wire{gigabytes_per_second(25), microseconds(1)};
  HyperxSpec spec;
  spec.sizes = {3, 4};
  spec.plugs = 3;
  spec.plug_wire = wire;
  spec.wires = {wire};
  const Topology topology(build_hyperx(spec));
  const GroupAlongLevels all = {{0, 3}, {1, 3}, {2, 4}};
  constexpr Bytes size = bytes(16'000'000);
  for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter}) {
    CHECK(whole_buffer_of(topology, all, "pat", kind, size) > microseconds(900));
    const Duration direct = whole_buffer_of(topology, all, "direct", kind, size);
    CHECK(direct > microseconds(622));
    CHECK(direct < microseconds(700));
    CHECK(fastest_choice(topology, all, kind, size).predicted < microseconds(660));
  }
}

LevelSpec line_of(std::int32_t size, LevelKind kind = LevelKind::mesh) {
  LevelSpec level = switch_level(size, gigabytes_per_second(40), microseconds(1));
  level.kind = kind;
  return level;
}

// Five NPUs in a row. The parts of `direct` that pass the middle come from 2 and go to 3: six of
// them, 1/5 of the buffer each. A ring goes back over the whole row with one part: a link carries
// one each way. Its hops are 4 x 1 and 4 long, of which 8/5 us for a step is the mean.
TEST_CASE("the busiest link of a mesh is in its middle") {
  const Topology topology({{line_of(5)}});
  SystemSpec system;
  system.injection_latency = Duration{};
  PhaseCosts costs(topology, system);
  const PhaseLevel all{0, 5, 0, gigabytes_per_second(40), gigabytes_per_second(40)};
  const auto time = [&](const char* algorithm) {
    const PhaseCost* cost = costs.of(NamedAlgorithm(algorithm), Collective::all_gather, all);
    REQUIRE(cost != nullptr);
    return cost->time(bytes(40'000'000), system, nullptr);
  };
  CHECK(time("direct") == microseconds(4 + 1200));
  CHECK(time("ring") == Duration{6'400'000} + microseconds(800));
}

// 5 x 3 of a mesh: 14/15 of 256 MB over at most four links of 40 GB/s, two at a corner: 2.99 ms at
// the least there. One level after the other takes 5.18 ms.
TEST_CASE("auto tries several orders of the levels on a mesh") {
  const Topology topology({{line_of(5), line_of(3)}});
  for (const Collective kind : {Collective::all_gather, Collective::reduce_scatter}) {
    const AutomaticChoice chosen =
        fastest_choice(topology, {{0, 5}, {1, 3}}, kind, bytes(256'000'000));
    CHECK(chosen.spec.schedule != HierarchicalSchedule::baseline);
    CHECK(chosen.predicted > microseconds(2990));
    CHECK(chosen.predicted < microseconds(4200));
  }
}

// Root and neighbours on a torus of 6 x 6: one level after the other 256 MB come in over one ring,
// half from each side but for the farthest, 2.67 ms. In two orders they come over four links.
TEST_CASE("auto gathers and scatters over all links of a torus") {
  const LevelSpec ring = line_of(6, LevelKind::ring);
  const Topology topology({{ring, ring}});
  for (const Collective kind : {Collective::gather, Collective::scatter}) {
    const AutomaticChoice chosen =
        fastest_choice(topology, {{0, 6}, {1, 6}}, kind, bytes(256'000'000));
    CHECK(chosen.spec.schedule == HierarchicalSchedule::torus);
    CHECK(chosen.predicted > microseconds(1555));
    CHECK(chosen.predicted < microseconds(2000));
  }
}

// Four neighbours of a ring of 16, 50 GB/s: either ring of `ring:2` goes back over the links of the
// other one. So a link carries 3/4 of 67.11 MB: 1.007 ms, not half of it.
TEST_CASE("neighbours of a ring are no ring") {
  LevelSpec ring = switch_level(16, gigabytes_per_second(50), microseconds(1));
  ring.kind = LevelKind::ring;
  const Topology topology({{ring, ring}});
  const AutomaticChoice some =
      fastest_choice(topology, {{0, 4}}, Collective::reduce_scatter, bytes(67'110'000));
  CHECK(some.predicted > microseconds(1006));
  CHECK(some.predicted < microseconds(1060));
  // All 16 are one: 15/16 of it over two links.
  const AutomaticChoice all =
      fastest_choice(topology, {{0, 16}}, Collective::reduce_scatter, bytes(67'110'000));
  CHECK(all.predicted > microseconds(629));
  CHECK(all.predicted < microseconds(700));
}

}  // namespace
}  // namespace orrery
