#include <catch2/catch.hpp>

#include "core/base/random.h"
#include "system/rank/start_order.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

TEST_CASE("a member keeps room for what others have started") {
  StartOrder order(2);
  CHECK(order.reserved_before(0, StartOrder::kNew) == 0);
  const auto x = order.start(0, StartOrder::kNew);  // member 0 starts x: member 1 has it to do
  CHECK(order.reserved_before(0, StartOrder::kNew) == 0);
  CHECK(order.reserved_before(1, StartOrder::kNew) == 1);
  CHECK(order.reserved_before(1, x) == 0);  // x itself needs no room beside x
  const auto y = order.start(1, StartOrder::kNew);
  CHECK(order.reserved_before(0, y) == 0);  // member 0 has x already
  CHECK(order.reserved_before(1, StartOrder::kNew) == 1);
  CHECK(order.reserved_before(0, StartOrder::kNew) == 1);
  order.start(1, x);
  order.start(0, y);
  CHECK(order.reserved_before(0, StartOrder::kNew) == 0);
  CHECK(order.reserved_before(1, StartOrder::kNew) == 0);
}

// Ranks arrive at different times, chunks outnumber the places, trees finish rank by rank: without
// the rule such runs end with everyone waiting for someone else (with limits of 1, about every
// other one).
TEST_CASE("limits never make ranks wait for each other for ever") {
  std::int64_t unblocked = 0;  // chunks that only the last resort could start
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomStream random(seed, "limits");
    const auto pick = [&](std::uint64_t n) { return static_cast<int>(random.uniform_int(n)); };
    const std::vector<std::vector<int>> shapes = {{6}, {4, 4}, {3, 5}, {2, 3, 2}};
    const std::vector<int>& shape = shapes[pick(shapes.size())];
    std::vector<LevelSpec> levels;
    std::int32_t ranks = 1;
    for (const int size : shape) {
      levels.push_back(switch_level(size, gigabits_per_second(100), nanoseconds(500)));
      ranks *= size;
    }
    SystemSpec spec = plain_system("direct");
    const auto kind_spec = [&](Collective kind) -> CollectiveSpec& {
      return spec.collectives[static_cast<int>(kind)];
    };
    if (pick(2) == 0)
      for (const Collective kind :
           {Collective::reduce_scatter, Collective::all_gather, Collective::all_to_all})
        kind_spec(kind).algorithms = {"ring"};
    kind_spec(Collective::barrier).algorithms = {"dissemination"};
    // Whole buffers on every level, some by trees, or parts.
    for (const Collective kind :
         {Collective::all_reduce, Collective::broadcast, Collective::reduce}) {
      kind_spec(kind).schedule = HierarchicalSchedule::local_bandwidth_aware;
      if (pick(2) == 0) continue;
      kind_spec(kind).schedule = HierarchicalSchedule::baseline;
      if (pick(2) == 0) kind_spec(kind).algorithms = {"double_binary_tree"};
    }
    if (pick(3) == 0)
      for (CollectiveSpec& collective : spec.collectives)
        if (pick(2) == 0) collective.schedule = HierarchicalSchedule::flat;
    for (CollectiveSpec& collective : spec.collectives) collective.chunks = 1 + pick(7);
    // Chunks that pass the levels in several orders, and all-to-alls against the stream.
    if (pick(2) == 0)
      for (CollectiveSpec& collective : spec.collectives)
        if (collective.algorithms[0] != NamedAlgorithm("double_binary_tree") && pick(2) == 0)
          collective.schedule =
              pick(2) == 0 ? HierarchicalSchedule::torus : HierarchicalSchedule::themis;
    if (pick(2) == 0)
      kind_spec(Collective::all_to_all).schedule = HierarchicalSchedule::across_first;
    spec.scheduling = static_cast<SchedulingPolicy>(pick(4));
    spec.first_phase_limit = 1 + pick(3);
    spec.queue_limit = 1 + pick(2);
    spec.queues_per_level = 1 + pick(2);
    if (pick(2) == 0) spec.overlap_limit = 1 + pick(3);

    const int calls = 2 + pick(6);
    std::vector<Collective> kinds;
    std::vector<int> sizes, roots, communicators;
    for (int i = 0; i < calls; ++i) {
      kinds.push_back(static_cast<Collective>(pick(collective_count)));
      communicators.push_back(pick(2) == 0 ? 0 : pick(shape.size() + 1));  // 0 is all ranks
      const int members = communicators.back() == 0 ? ranks : shape[communicators.back() - 1];
      roots.push_back(has_root(kinds.back()) ? pick(static_cast<std::uint64_t>(members)) : 0);
      sizes.push_back(1'000 + pick(50'000));
    }
    std::vector<std::vector<Operation>> programs(ranks);
    for (auto& program : programs)
      for (int i = 0; i < calls; ++i) {  // everyone computes for another time between the calls
        program.push_back(compute(2 * i, nanoseconds(1 + pick(20'000))));
        program.push_back(collective(2 * i + 1, kinds[i], bytes(sizes[i]),
                                     i % 3 == 0 ? Priority::highest : Priority::normal, {},
                                     roots[i]));
        std::get<CollectiveCall>(program.back().what).communicator = communicators[i];
      }
    World world(levels, spec, programs);
    world.run();
    INFO("seed " << seed << "\n" << world.runner->describe_stuck(20));
    CHECK(world.runner->finished());
    unblocked += world.runner->unblocked();
    for (Rank rank = 0; rank < ranks; ++rank) {
      const RankAccount account = world.runner->account(rank);
      CHECK(account.compute + account.exposed + account.idle == account.finish.since_start);
      CHECK(account.idle == Duration{});
    }
  }
  CAPTURE(unblocked);
  CHECK(unblocked < 20);  // the order does the work
}

}  // namespace
}  // namespace orrery
