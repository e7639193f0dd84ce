// A switch that adds: times by hand on the analytical backend. B is the bandwidth of a link, L its
// latency, T(x) = x / B.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

LevelSpec adding_switch(std::int32_t size) {
  LevelSpec level = switch_level(size, kBandwidth, kLink);
  level.in_network_reduction = true;
  return level;
}

struct Run {
  Duration time, bound;
  NetworkStatistics statistics;
};

Run run(Collective kind, std::int32_t ranks, Bytes size, std::int32_t chunks = 1,
        std::int32_t root = 0) {
  SystemSpec spec = plain_system("in_network");
  spec.collectives[static_cast<int>(kind)].chunks = chunks;
  World world({adding_switch(ranks)}, spec,
              World::everywhere(ranks, {collective(0, kind, size, {}, {}, root)}));
  const Duration time = world.run();
  REQUIRE(world.runner->finished());
  return {time, world.runner->call_of(0).value().bandwidth_bound, world.network->statistics()};
}

// Everyone's S comes to the switch at L + T(S); its n ports send the sum side by side: as long
// again. The parts of a reduce-scatter and of an all-gather are S/n one way.
TEST_CASE("a switch that adds takes 2 (L + T(S)) for an all-reduce of one chunk, whatever n") {
  const Duration whole = kLink + transfer_time(bytes(33'000), kBandwidth);
  for (const std::int32_t n : {2, 3, 11, 33}) {
    const Bytes size = bytes(33'000);
    const Duration part = kLink + transfer_time(bytes(33'000 / n), kBandwidth);
    INFO("n " << n);
    CHECK(run(Collective::all_reduce, n, size).time == whole * 2);
    for (const std::int32_t root : {0, n - 1}) {
      CHECK(run(Collective::broadcast, n, size, 1, root).time == whole * 2);
      CHECK(run(Collective::reduce, n, size, 1, root).time == whole * 2);
    }
    if (33'000 % n == 0) {
      CHECK(run(Collective::reduce_scatter, n, size).time == whole + part);
      CHECK(run(Collective::all_gather, n, size).time == part + whole);
    }
    CHECK(run(Collective::barrier, n, Bytes{}).time == kLink * 2);
  }
}

// c chunks: those behind the first follow it at the distance of T(S/c), so (c+1) T(S/c) + 2 L. A
// ring without latency takes 2(n-1)/n T(S): for n = 8 and many chunks 7/4 of that.
TEST_CASE("with many chunks in-network all-reduce tends to T(S), a ring to 2(n-1)/n T(S)") {
  const Bytes size = bytes(64'000'000);
  const Duration chunk = transfer_time(bytes(1'000'000), kBandwidth);
  const Run in_network = run(Collective::all_reduce, 8, size, 64);
  CHECK(in_network.time == chunk * 65 + kLink * 2);
  CHECK(in_network.bound == transfer_time(size, kBandwidth));
  SystemSpec spec = plain_system("ring");
  spec.collectives[0].chunks = 64;
  World ring({adding_switch(8)}, spec,
             World::everywhere(8, {collective(0, Collective::all_reduce, size)}));
  const Duration time = ring.run();
  CHECK(static_cast<double>(time.value) / static_cast<double>(in_network.time.value) ==
        Approx(1.75).epsilon(0.02));
}

TEST_CASE("in-network, each rank sends S and receives S, over its own link") {
  for (const std::int32_t chunks : {1, 5}) {
    const Run all = run(Collective::all_reduce, 6, bytes(100'003), chunks);
    REQUIRE(all.statistics.links.size() == 12);
    for (const TotalBytes link : all.statistics.links) CHECK(link == bytes(100'003));
    CHECK(all.statistics.levels[0].bytes_by_label[0] == bytes(12 * 100'003));
    CHECK(all.statistics.messages == static_cast<std::uint64_t>(12 * chunks));
  }
}

// The switch has no memory to copy from and adds as fast as its ports are: the endpoint costs are
// those of the ranks. Up: d before sending; down: d after the arrival, which is no reduction.
TEST_CASE("endpoint costs are paid by ranks, not by the switch") {
  SystemSpec spec = plain_system("in_network");
  spec.injection_latency = nanoseconds(700);
  spec.reduction_bandwidth = gigabytes_per_second(1);
  World world({adding_switch(4)}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(4'000))}));
  CHECK(world.run() == (kLink + transfer_time(bytes(4'000), kBandwidth)) * 2 + nanoseconds(1400));
}

// {4, 2}: in-network inside, ring outside, on the quarter. Inside 2 S/4.. by hand: reduce-scatter
// T(S) + L up, T(S/4) + L down; two ring steps of S/8 outside, 2L + T(S/8) each; all-gather T(S/4)
// + L up, T(S) + L down.
TEST_CASE("levels with a switch that adds go together with others") {
  SystemSpec spec = plain_system("ring");
  spec.collectives[0].algorithms = {"in_network", "ring"};
  spec.collectives[0].schedule = HierarchicalSchedule::local_bandwidth_aware;
  World world({adding_switch(4), switch_level(2, kBandwidth, kLink)}, spec,
              World::everywhere(8, {collective(0, Collective::all_reduce, bytes(8'000))}));
  const auto t = [](std::int64_t size) { return transfer_time(bytes(size), kBandwidth); };
  CHECK(world.run() == (t(8'000) + kLink + t(2'000) + kLink) * 2 + (kLink * 2 + t(1'000)) * 2);
}

TEST_CASE("a level without such a switch cannot do it") {
  World world({switch_level(4, kBandwidth, kLink)}, plain_system("in_network"),
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(4'000))}));
  CHECK_THROWS_WITH(world.run(), Catch::Contains("cannot do"));
}

// k servers among n ranks: a server takes in n-1 shards of S/k, one after the other, and sends as
// many. Pushes begin at different servers; that of rank r to the first one arrives L + T later, and
// with k = n the direct all-reduce takes 2 ((n-1) T(S/n) + path). With k = 1 all goes to rank 0.
TEST_CASE("a parameter server's port takes (n-1) T(S/k) for a push and as much for a pull") {
  const auto time = [](const char* algorithm, std::int32_t n) {
    World world({switch_level(n, kBandwidth, kLink)}, plain_system(algorithm),
                World::everywhere(n, {collective(0, Collective::all_reduce, bytes(24'000))}));
    return world.run();
  };
  const auto t = [](std::int64_t size) { return transfer_time(bytes(size), kBandwidth); };
  CHECK(time("parameter_server", 4) == (t(24'000) * 3 + kLink * 2) * 2);
  CHECK(time("parameter_server:4", 4) == (t(6'000) * 3 + kLink * 2) * 2);
  CHECK(time("parameter_server:4", 4) == time("direct", 4));
  // 2 servers, ranks 0 and 3 of 6: each takes in 5 shards of S/2.
  CHECK(time("parameter_server:2", 6) == (t(12'000) * 5 + kLink * 2) * 2);
}

}  // namespace
}  // namespace orrery
