// Chunks that begin with different levels: times and bytes on tori, by hand. T = time of the whole
// buffer S at one link.
#include <catch2/catch.hpp>

#include "system/rank/selection.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

struct TorusRun {
  double time;  // in T
  NetworkStatistics statistics;
  double bound;
};

TorusRun all_reduce(int dimensions, std::int32_t size, HierarchicalSchedule schedule,
                    std::int32_t chunks, const char* algorithm = "ring") {
  const std::vector<LevelSpec> levels(
      dimensions, {"", LevelKind::ring, size, kBandwidth, Duration{}, Scope::scale_out});
  SystemSpec spec = plain_system(algorithm);
  spec.collectives[0].schedule = schedule;
  spec.collectives[0].chunks = chunks;
  std::int32_t ranks = 1;
  for (int d = 0; d < dimensions; ++d) ranks *= size;
  const Bytes buffer = bytes(24'576'000);
  World world(levels, spec,
              World::everywhere(ranks, {collective(0, Collective::all_reduce, buffer)}));
  const auto in_buffers = [&](Duration time) {
    return static_cast<double>(time.value) /
           static_cast<double>(transfer_time(buffer, kBandwidth).value);
  };
  const Duration time = world.run();
  REQUIRE(world.runner->finished());
  return {in_buffers(time), world.network->statistics(),
          in_buffers(world.runner->call_of(0).value().bandwidth_bound)};
}

// k per dimension, d dimensions, no latency. One dimension after the other, each 2(k-1)/k of what
// is left: 2 (k-1)/k (1 + 1/k + 1/k^2 ...) T = 2 (1 - 1/k^d) T. Chunks overlap, but the first
// dimension still takes 2 (k-1)/k T. In turns each dimension has a d-th of the whole: 2 (1 - 1/k^d)
// T / d.
TEST_CASE("on a torus of d dimensions, chunks in turns take a d-th of one after the other") {
  const auto aware = HierarchicalSchedule::local_bandwidth_aware;
  const auto torus = HierarchicalSchedule::torus;
  for (const auto& [dimensions, size] : {std::pair(2, 4), std::pair(2, 8), std::pair(3, 4)}) {
    double rest = 1;
    for (int d = 0; d < dimensions; ++d) rest /= size;
    const double alone = 2 * (1 - rest), first = 2 * (1 - 1.0 / size);
    INFO(dimensions << " dimensions of " << size);
    CHECK(all_reduce(dimensions, size, aware, 1).time == Approx(alone).epsilon(0.001));
    CHECK(all_reduce(dimensions, size, aware, 96).time == Approx(first).epsilon(0.05));
    const TorusRun turns = all_reduce(dimensions, size, torus, 96);
    CHECK(turns.time == Approx(alone / dimensions).epsilon(0.08));
    CHECK(turns.time >= turns.bound);
    CHECK(turns.bound == Approx(alone / dimensions).epsilon(0.001));
    // Both directions of the rings: twice as fast.
    const double both = all_reduce(dimensions, size, torus, 96, "ring:2").time;
    CHECK(both == Approx(alone / dimensions / 2).epsilon(0.15));
  }
}

// {4, 4}, 2 chunks: chunk 0 begins with level 0, where 16 ranks send 2 * 3/4 of S/2, and goes on
// with level 1, 2 * 3/4 of S/8; chunk 1 the other way round. Both levels: 16 * 3/2 (1/2 + 1/8) S.
TEST_CASE("in turns, the levels of a torus carry the same") {
  const NetworkStatistics statistics = all_reduce(2, 4, HierarchicalSchedule::torus, 2).statistics;
  for (const LevelTraffic& level : statistics.levels)
    CHECK(level.bytes_by_label[0] == bytes(16 * 3 * 24'576'000LL / 2 * 5 / 8));
  const NetworkStatistics one_order =
      all_reduce(2, 4, HierarchicalSchedule::local_bandwidth_aware, 2).statistics;
  CHECK(one_order.levels[0].bytes_by_label[0] == one_order.levels[1].bytes_by_label[0] * 4);
}

struct TorusChoice {
  AutomaticChoice choice;
  Duration simulated;
};

// All that is not said is chosen, on 4 x 4 x 8 links of 100 GB/s each way.
TorusChoice chosen_on_torus(const CollectiveSpec& rule, Bytes size) {
  std::vector<LevelSpec> levels;
  GroupAlongLevels group;
  for (const std::int32_t members : {4, 4, 8}) {
    group.emplace_back(static_cast<int>(levels.size()), members);
    levels.push_back({"", LevelKind::ring, members, gigabytes_per_second(100), nanoseconds(500),
                      Scope::scale_out});
  }
  SystemSpec system;
  for (CollectiveSpec& one : system.collectives) one = rule;
  const Topology topology({levels});
  const auto choice =
      Selection(topology, system).fastest(rule, group, Collective::all_reduce, size);
  REQUIRE(choice);
  NetworkSpec network;
  network.backend = "fluid";
  World world(levels, system, World::everywhere(128, {collective(0, Collective::all_reduce, size)}),
              network);
  return {*choice, world.run()};
}

// Each NPU sends 2 x 127/128 GB over six links of 100 GB/s: 3.307 ms, if all are busy all the time.
// Its dimensions have 3/4, 3/4 and 7/8 of what comes to them, so each order of them leaves some
// idle; `themis` chooses orders, and many chunks fill the gaps.
TEST_CASE("auto keeps the links of a torus busy that is no cube") {
  for (const Bytes size : {bytes(64'000'000), bytes(1'000'000'000)}) {
    const auto [choice, simulated] = chosen_on_torus({}, size);
    CHECK(choice.spec.schedule == HierarchicalSchedule::themis);
    const double error = static_cast<double>(choice.predicted.value - simulated.value);
    CHECK(std::abs(error) < 0.05 * static_cast<double>(simulated.value));
    if (size > bytes(64'000'000)) CHECK(simulated < microseconds(3307 * 11 / 10));
  }
}

// 16 chunks beside each other go round in rounds, and those of small messages wait for those of
// large ones: 4.64 ms. One by one they do not.
TEST_CASE("chunks go one by one on a torus where their number is written, too") {
  CollectiveSpec rule;
  rule.any_chunks = false;
  rule.chunks = 16;
  const auto [choice, simulated] = chosen_on_torus(rule, bytes(1'000'000'000));
  CHECK(choice.spec.one_by_one);
  CHECK(simulated < microseconds(3307 * 11 / 10));
  rule.any_schedule = false;  // the schedule as it is written
  rule.schedule = HierarchicalSchedule::themis;
  CHECK_FALSE(chosen_on_torus(rule, bytes(1'000'000'000)).choice.spec.one_by_one);
}

// n = 12 parts of S; inside 4, across 3. Whichever comes first, each rank passes on 3/4 of its
// buffer inside and 2/3 across.
TEST_CASE("an all-to-all has the same bytes on a level whether it goes inside or across first") {
  for (const auto schedule : {HierarchicalSchedule::baseline, HierarchicalSchedule::across_first,
                              HierarchicalSchedule::torus}) {
    SystemSpec spec = plain_system("direct");
    for (CollectiveSpec& one : spec.collectives) one.schedule = schedule;
    const LevelSpec inside = switch_level(4, kBandwidth, microseconds(1));
    World world({inside, switch_level(3, kBandwidth, microseconds(5))}, spec,
                World::everywhere(12, {collective(0, Collective::all_to_all, bytes(12'000))}));
    const Duration time = world.run();
    const auto label = static_cast<std::size_t>(Collective::all_to_all);
    const auto& levels = world.network->statistics().levels;
    CHECK(levels[0].bytes_by_label[label] == bytes(12 * 9'000));
    CHECK(levels[1].bytes_by_label[label] == bytes(12 * 8'000));
    // Inside three messages of S/4, across two of S/3, one phase after the other.
    CHECK(time == transfer_time(bytes(9'000), kBandwidth) + microseconds(2) +
                      transfer_time(bytes(8'000), kBandwidth) + microseconds(10));
  }
}

}  // namespace
}  // namespace orrery
