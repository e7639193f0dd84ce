// All-to-alls whose parts differ: bytes of every rank and level against the matrix, pair by pair,
// and times by hand.
#include <catch2/catch.hpp>

#include <bit>
#include <functional>

#include "core/base/random.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

Operation all_to_allv(std::shared_ptr<const PairSizes> sizes) {
  CollectiveCall call{};
  call.kind = Collective::all_to_allv;
  call.size = sizes->largest_row();
  call.pair_sizes = std::move(sizes);
  return {0, 0, call};
}

// Every pair another size, some of them nothing.
std::shared_ptr<const PairSizes> random_sizes(std::int32_t ranks, std::uint64_t seed) {
  RandomStream random(seed, "pairs");
  std::vector<Bytes> sizes;
  for (std::int32_t i = 0; i < ranks * ranks; ++i)
    sizes.push_back(bytes(
        static_cast<std::int64_t>(random.uniform_int(4) == 0 ? 0 : random.uniform_int(100'000))));
  return std::make_shared<PairSizes>(PairSizes::matrix(ranks, sizes));
}

SystemSpec with_schedule(const std::string& algorithm, HierarchicalSchedule schedule,
                         std::int32_t chunks = 1) {
  SystemSpec spec = plain_system(algorithm);
  CollectiveSpec& all = spec.collectives[static_cast<int>(Collective::all_to_allv)];
  all.schedule = schedule;
  all.chunks = chunks;
  return spec;
}

// What must leave and reach each rank on each level, one pair after the other: at level l a rank
// passes on what is not in the right coordinate there. `order`: the levels as the parts take them.
struct Loads {
  std::vector<std::vector<std::int64_t>> sent, received;  // level by level, of each rank
};

Loads loads_of(const PairSizes& sizes, const std::vector<int>& shape,
               const std::vector<int>& order) {
  const std::int32_t ranks = sizes.ranks();
  Loads loads;
  loads.sent.assign(shape.size(), std::vector<std::int64_t>(ranks));
  loads.received = loads.sent;
  for (Position source = 0; source < ranks; ++source)
    for (Position target = 0; target < ranks; ++target) {
      Position here = source;
      for (const int level : order) {
        Position radix = 1;
        for (int l = 0; l < level; ++l) radix *= shape[l];
        const Position there =
            here + (target / radix % shape[level] - here / radix % shape[level]) * radix;
        if (there == here) continue;
        loads.sent[level][here] += sizes.size(source, target).value;
        loads.received[level][there] += sizes.size(source, target).value;
        here = there;
      }
      REQUIRE(here == target);
    }
  return loads;
}

void check_bytes(const std::string& algorithm, HierarchicalSchedule schedule,
                 const std::vector<int>& shape, const std::vector<int>& order,
                 std::int32_t chunks) {
  std::int32_t ranks = 1;
  std::vector<LevelSpec> levels;
  for (const int size : shape) {
    ranks *= size;
    levels.push_back(switch_level(size, kBandwidth, kLink));
  }
  const auto sizes = random_sizes(ranks, 5);
  World world(levels, with_schedule(algorithm, schedule, chunks),
              World::everywhere(ranks, {all_to_allv(sizes)}));
  world.run();
  REQUIRE(world.runner->finished());
  const Loads loads = loads_of(*sizes, shape, order);
  const NetworkStatistics statistics = world.network->statistics();
  INFO(algorithm << " " << name_of(schedule) << " over " << shape.size() << " levels, " << chunks
                 << " chunks");
  for (int level = 0; level < static_cast<int>(shape.size()); ++level) {
    std::int64_t total = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      total += loads.sent[level][rank];
      CHECK(statistics.links[world.topology.egress_link(level, {rank}, 0)].narrow().value ==
            loads.sent[level][rank]);
      CHECK(statistics.links[world.topology.switch_to_npu_link(level, {rank})].narrow().value ==
            loads.received[level][rank]);
    }
    const auto label = static_cast<std::size_t>(Collective::all_to_allv);
    CHECK(statistics.levels[level].bytes_by_label[label].narrow().value == total);
  }
}

TEST_CASE("an all-to-allv brings every byte of the matrix to its level and rank, and no other") {
  for (const char* algorithm : {"direct", "direct:2", "pairwise"})
    for (const std::int32_t chunks : {1, 3})
      for (const auto& shape : std::vector<std::vector<int>>{{7}, {2, 2}, {4, 8}, {3, 5, 2}}) {
        std::vector<int> inside_first, across_first;
        for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
          inside_first.push_back(d);
          across_first.insert(across_first.begin(), d);
        }
        check_bytes(algorithm, HierarchicalSchedule::baseline, shape, inside_first, chunks);
        check_bytes(algorithm, HierarchicalSchedule::across_first, shape, across_first, chunks);
      }
  check_bytes("direct", HierarchicalSchedule::torus, {3, 4}, {0, 1}, 1);  // one chunk: one order
}

// Relays: what goes d positions up crosses d links of a ring (of ring:2 half of it, each piece
// rounded, goes n-d the other way), and makes a jump of Bruck's for every one bit of d.
TEST_CASE("relayed parts keep their size on all their way") {
  const auto total_of = [](const std::string& algorithm, const PairSizes& sizes) {
    World world(
        {switch_level(sizes.ranks(), kBandwidth, kLink)},
        with_schedule(algorithm, HierarchicalSchedule::baseline),
        World::everywhere(sizes.ranks(), {all_to_allv(std::make_shared<PairSizes>(sizes))}));
    world.run();
    const auto label = static_cast<std::size_t>(Collective::all_to_allv);
    return world.network->statistics().levels[0].bytes_by_label[label].narrow().value;
  };
  for (const std::int32_t n : {2, 3, 5, 8, 13}) {
    const PairSizes sizes = *random_sizes(n, 9);
    const auto sum = [&](const std::function<std::int64_t(int distance, std::int64_t)>& cost) {
      std::int64_t total = 0;
      for (Position source = 0; source < n; ++source)
        for (Position target = 0; target < n; ++target)
          total += cost((target - source + n) % n, sizes.size(source, target).value);
      return total;
    };
    INFO("n " << n);
    CHECK(total_of("ring", sizes) == sum([](int d, std::int64_t size) { return d * size; }));
    CHECK(total_of("ring:2", sizes) == sum([&](int d, std::int64_t size) {
            return d == 0 ? 0 : d * ((size + 1) / 2) + (n - d) * (size / 2);
          }));
    CHECK(total_of("bruck", sizes) == sum([](int d, std::int64_t size) {
            return std::popcount(static_cast<unsigned>(d)) * size;
          }));
  }
}

TEST_CASE("an all-to-allv of equal sizes is an all-to-all") {
  for (const char* algorithm : {"direct", "ring", "ring:2", "bruck", "pairwise"})
    for (const auto schedule :
         {HierarchicalSchedule::baseline, HierarchicalSchedule::across_first}) {
      const auto time = [&](const Operation& operation) {
        SystemSpec spec = with_schedule(algorithm, schedule, 4);
        spec.collectives[static_cast<int>(Collective::all_to_all)] =
            spec.collectives[static_cast<int>(Collective::all_to_allv)];
        World world({switch_level(4, kBandwidth, kLink), switch_level(3, kBandwidth, kLink)}, spec,
                    World::everywhere(12, {operation}));
        return world.run();
      };
      INFO(algorithm << " " << name_of(schedule));
      const auto equal =
          std::make_shared<PairSizes>(PairSizes::matrix(12, std::vector<Bytes>(144, bytes(8'000))));
      const Duration even = time(collective(0, Collective::all_to_all, bytes(12 * 8'000)));
      CHECK(time(all_to_allv(equal)) == even);
      CHECK(time(all_to_allv(std::make_shared<PairSizes>(PairSizes::weighted(
                12, bytes(12 * 8'000), std::vector<std::int64_t>{5})))) == even);
    }
}

// Rank 0 gets 4,000 B from each of 7 others, which send 1,000 B to everyone else. Its port takes
// them in one after the other: 7 T(4,000). Everyone sends to rank+1 first, so rank 7's goes off at
// once and the port is never idle.
TEST_CASE("the port of a hot rank is the bottleneck of an all-to-allv") {
  const auto sizes = std::make_shared<PairSizes>(
      PairSizes::weighted(8, bytes(11'000), std::vector<std::int64_t>{4, 1, 1, 1, 1, 1, 1, 1}));
  CHECK(sizes->size(3, 0) == bytes(4'000));
  CHECK(sizes->size(3, 7) == bytes(1'000));
  CHECK(sizes->largest_row() == bytes(11'000));
  World world({switch_level(8, kBandwidth, kLink)},
              with_schedule("direct", HierarchicalSchedule::baseline),
              World::everywhere(8, {all_to_allv(sizes)}));
  const Duration least = transfer_time(bytes(28'000), kBandwidth);
  CHECK(world.run() == least + kPath);
  CHECK(world.runner->call_of(0).value().bandwidth_bound == least);
}

// Two nodes of 4. Rank 0 sends 4,000 B to each rank of the other node. Inside first, each neighbour
// carries the part of its own rail: three parts leave the port of rank 0 inside, 3 T(4,000), and
// the last one crosses its rail, L + T(4,000) later. Across first, all four cross the rail of rank
// 0, 4 T(4,000), as one message; then three go inside.
TEST_CASE("inside first spreads one sender over all rails, across first does not") {
  std::vector<Bytes> matrix(64);
  for (Position target = 4; target < 8; ++target) matrix[target] = bytes(4'000);
  const auto sizes = std::make_shared<PairSizes>(PairSizes::matrix(8, matrix));
  const auto run = [&](HierarchicalSchedule schedule) {
    World world({switch_level(4, kBandwidth, kLink), switch_level(2, kBandwidth, kLink)},
                with_schedule("direct", schedule), World::everywhere(8, {all_to_allv(sizes)}));
    const Duration time = world.run();
    return std::pair(time, world.runner->call_of(0).value().bandwidth_bound);
  };
  const Duration part = transfer_time(bytes(4'000), kBandwidth);
  const auto inside = run(HierarchicalSchedule::baseline);
  CHECK(inside.first == part * 3 + kPath + part + kPath);
  CHECK(inside.second == part * 3);
  const auto across = run(HierarchicalSchedule::across_first);
  CHECK(across.first == part * 4 + kPath + part * 3 + kPath);
  CHECK(across.second == part * 4);
}

// The row of 10 B in proportion 1 : 2 : 1 : 2 has marks at 10/6, 30/6, 40/6 and 60/6: 1, 5, 6, 10.
TEST_CASE("weighted rows add up to the row") {
  const PairSizes sizes = PairSizes::weighted(4, bytes(10), std::vector<std::int64_t>{1, 2});
  std::vector<std::int64_t> row;
  for (Position target = 0; target < 4; ++target) row.push_back(sizes.size(2, target).value);
  CHECK(row == std::vector<std::int64_t>{1, 4, 1, 4});
  CHECK(sizes.largest_row() == bytes(10));
}

TEST_CASE("ranks that disagree about the sizes of an all-to-allv are told so") {
  const auto program = [](std::uint64_t seed) {
    Operation operation = all_to_allv(random_sizes(2, seed));
    std::get<CollectiveCall>(operation.what).size = bytes(100);
    return std::vector<Operation>{operation};
  };
  World world({switch_level(2, kBandwidth, kLink)}, plain_system("direct"),
              {program(1), program(2)});
  CHECK_THROWS_WITH(world.run(), Catch::Contains("sizes of its own"));
  World small({switch_level(4, kBandwidth, kLink)}, plain_system("direct"),
              World::everywhere(4, program(1)));
  CHECK_THROWS_WITH(small.run(), Catch::Contains("sizes of 2 ranks in a group of 4"));
}

}  // namespace
}  // namespace orrery
