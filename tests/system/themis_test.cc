// Chunks that choose the order of the levels by what the levels have to do (chunk_orders.h), and
// limits on how many collectives overlap.
#include <catch2/catch.hpp>

#include "system/collective/bandwidth_bound.h"
#include "system/collective/chunk_orders.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using test::World;

constexpr Bandwidth kSlow = gigabytes_per_second(1);
constexpr Bandwidth kFast = gigabytes_per_second(4);

// An all-reduce of 4 x 4 ranks: the level that a chunk of c bytes passes first carries 2 (3/4) c,
// the other a quarter of that, each rank. At equal rates: the first chunk begins inside; then level
// 0 has 4 and level 1 has 1 (in units of 3/8 c). The second one goes the other way, 5 and 5: a tie,
// again inside first.
TEST_CASE("themis begins with the level that has least to do") {
  const DimensionRate slow{4, kSlow}, fast{4, kFast};
  const auto orders = [](DimensionRate inner, DimensionRate outer) {
    return orders_of_chunks(Collective::all_reduce, HierarchicalSchedule::themis, bytes(96'000), 6,
                            std::vector<DimensionRate>{inner, outer});
  };
  CHECK(orders(slow, slow) == std::vector<std::int32_t>{0, 1, 0, 1, 0, 1});
  // Inside four times as fast: 1 and 1 after the first chunk, and so always a tie.
  CHECK(orders(fast, slow) == std::vector<std::int32_t>{0, 0, 0, 0, 0, 0});
  // Outside four times as fast, in units of 3/32 c / slow: from inside 16 and 1, from outside 4 and
  // 4. After (16, 1): outside while that has less: (20, 5), (24, 9), (28, 13), (32, 17), (36, 21).
  CHECK(orders(slow, fast) == std::vector<std::int32_t>{0, 1, 1, 1, 1, 1});
  // Only what leaves parts behind is balanced.
  CHECK(orders_of_chunks(Collective::all_to_all, HierarchicalSchedule::themis, bytes(96'000), 3,
                         std::vector<DimensionRate>{slow, slow}) ==
        std::vector<std::int32_t>{0, 0, 0});
}

SystemSpec system_of(HierarchicalSchedule schedule) {
  SystemSpec spec = test::plain_system("ring");
  for (CollectiveSpec& collective : spec.collectives) {
    collective.schedule = schedule;
    collective.chunks = 32;
  }
  return spec;
}

Duration time_of(HierarchicalSchedule schedule, Bandwidth inner, Bandwidth outer, Bytes size) {
  World world(
      {test::switch_level(4, inner, nanoseconds(1)), test::switch_level(4, outer, nanoseconds(1))},
      system_of(schedule),
      World::everywhere(16, {test::collective(0, Collective::all_reduce, size)}));
  return world.run();
}

// S = 32 MiB at 1 GB/s. local_bandwidth_aware: level 0 carries 1.5 S, in 50.3 ms. Balanced, each
// level carries (1.5 + 0.375) S / 2 = 0.9375 S, in 31.5 ms: what the sum of both bandwidths allows.
// Chunks fill and drain the pipeline: a few of 32 more.
TEST_CASE("on levels of equal bandwidth themis nears the sum of the bandwidths") {
  const Bytes size = mebibytes(32);
  const Duration ideal = transfer_time(Bytes{size.value * 15 / 16}, kSlow);
  const Duration aware = time_of(HierarchicalSchedule::local_bandwidth_aware, kSlow, kSlow, size);
  const Duration themis = time_of(HierarchicalSchedule::themis, kSlow, kSlow, size);
  CHECK(aware >= transfer_time(Bytes{size.value * 3 / 2}, kSlow));
  CHECK(themis >= ideal);
  CHECK(static_cast<double>(themis.value) < 1.12 * static_cast<double>(ideal.value));
}

TEST_CASE("on levels that are balanced already themis changes nothing") {
  const Bytes size = mebibytes(8);
  CHECK(time_of(HierarchicalSchedule::themis, kFast, kSlow, size) ==
        time_of(HierarchicalSchedule::local_bandwidth_aware, kFast, kSlow, size));
}

// The bytes of each order are those of the closed form: per rank and level 2 (3/4) S of the chunks
// that pass it first, a quarter of that of the others; half of the 32 chunks each.
TEST_CASE("each level carries what the orders of the chunks say") {
  const Bytes size = mebibytes(32);
  World world(
      {test::switch_level(4, kSlow, nanoseconds(1)), test::switch_level(4, kSlow, nanoseconds(1))},
      system_of(HierarchicalSchedule::themis),
      World::everywhere(16, {test::collective(0, Collective::all_reduce, size)}));
  world.run();
  const auto levels = world.network->statistics().levels;
  for (const LevelTraffic& level : levels)
    CHECK(level.bytes_by_label[0] == Bytes{16 * (size.value * 15 / 16)});
}

// Groups of one communicator, one inside a switch and one of 2 x 2 ranks, in both orders of the
// list: each takes the orders of its own dimensions. Inside a switch a rank sends 2 (3/4) S. Of
// 2 x 2 it sends S of the chunks that pass a level first and S / 2 of the others, half of them
// each: 3/4 S on each level. Of 4 ranks each: 6 S + 3 S inside, 3 S across.
TEST_CASE("groups that sit differently have orders of their own") {
  const Bytes size = mebibytes(32);
  const std::vector<Rank> inside = {0, 1, 2, 3}, across = {4, 5, 8, 9};
  for (const auto schedule : {HierarchicalSchedule::torus, HierarchicalSchedule::themis})
    for (const RankLists& groups : {RankLists{inside, across}, RankLists{across, inside}}) {
      INFO(name_of(schedule) << ", first the group of rank " << groups.front().front());
      std::vector<std::vector<Operation>> programs(16);
      for (const auto& group : groups)
        for (const Rank rank : group)
          programs[rank] = {test::collective(0, Collective::all_reduce, size)};
      World world({test::switch_level(4, kSlow, nanoseconds(1)),
                   test::switch_level(4, kSlow, nanoseconds(1))},
                  system_of(schedule), programs);
      world.job.communicators[0].groups = groups;
      world.rebuild();
      world.run();
      CHECK(world.runner->unblocked() == 0);
      const auto levels = world.network->statistics().levels;
      CHECK(levels[0].bytes_by_label[0] == size * 9);
      CHECK(levels[1].bytes_by_label[0] == size * 3);
    }
}

// Two all-reduces of 4 ranks, 4 chunks each, called at once. With room for one collective the
// second begins when the first is complete: the spans do not overlap in work, and it takes as long
// as two alone. Without a limit both run together, and both end late.
TEST_CASE("a collective waits until there is room beside those that run") {
  SystemSpec spec = test::plain_system("ring");
  spec.scheduling = SchedulingPolicy::fifo;
  for (CollectiveSpec& collective : spec.collectives) collective.chunks = 4;
  const Bytes size = bytes(64'000);
  const auto ends = [&](std::optional<std::int32_t> limit, int calls) {
    spec.overlap_limit = limit;
    std::vector<Operation> program;
    for (int i = 0; i < calls; ++i)
      program.push_back(test::collective(i, Collective::all_reduce, size));
    World world({test::switch_level(4, kSlow, nanoseconds(500))}, spec,
                World::everywhere(4, program));
    world.run();
    CHECK(world.runner->unblocked() == 0);
    std::vector<Duration> times;
    for (int i = 0; i < calls; ++i)
      times.push_back(world.recorder.find(SpanKind::collective, 0, i).end.since_start);
    return times;
  };
  const Duration alone = ends(std::nullopt, 1)[0];
  CHECK(ends(1, 3) == std::vector<Duration>{alone, alone * 2, alone * 3});
  CHECK(ends(3, 3) == ends(std::nullopt, 3));
  CHECK(ends(2, 3)[0] > alone);
  CHECK(ends(2, 3)[2] >= ends(2, 3)[0] + alone);  // the third begins when one is complete
}

}  // namespace
}  // namespace orrery
