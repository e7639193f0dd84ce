// One collective alone on one switch, no endpoint cost: the simulated time against the closed form
// of its algorithm, to the picosecond. B is the bandwidth of a link, L the latency of a path (two
// links), T(x) = ceil(x / B) the time of x bytes at a port.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

const Bandwidth kBandwidth = gigabits_per_second(100);  // 12.5 GB/s: 80 ps a byte
const Duration kLink = nanoseconds(500);
const Duration kPath = nanoseconds(1000);

Duration time_of(const std::string& algorithm, Collective kind, std::int32_t ranks, Bytes size) {
  World world({switch_level(ranks, kBandwidth, kLink)}, plain_system(algorithm),
              World::everywhere(ranks, {collective(0, kind, size)}));
  const Duration time = world.run();
  REQUIRE(world.runner->finished());
  return time;
}

// A rank sends a piece of S/N in each of 2(N-1) steps; a step ends when the piece from the other
// side has come, L + T(S/N) after it began. The port is free again by then.
TEST_CASE("ring all-reduce takes 2(N-1)(L + T(S/N))") {
  for (std::int32_t n = 2; n <= 64; ++n) {
    const Bytes size = bytes(1'000 * n);
    const Duration step = kPath + transfer_time(bytes(1'000), kBandwidth);
    CHECK(time_of("ring", Collective::all_reduce, n, size) == step * (2 * (n - 1)));
    CHECK(time_of("ring", Collective::reduce_scatter, n, size) == step * (n - 1));
    CHECK(time_of("ring", Collective::all_gather, n, size) == step * (n - 1));
  }
}

// With S = 10 bytes on N = 4 the pieces are 3, 3, 2, 2: in each step somebody sends 3 bytes, and
// the rank that gets the 3-byte pieces is always one step behind. The slowest chain follows piece 0
// round: all its hops carry 3 bytes, so the time is that of pieces of ceil(S/N).
TEST_CASE("ring all-reduce of a size that N does not divide is as slow as its largest piece") {
  const Duration step = kPath + transfer_time(bytes(3), kBandwidth);
  CHECK(time_of("ring", Collective::all_reduce, 4, bytes(10)) == step * 6);
}

// A stage: N-1 sends leave one after the other, the last at (N-1) T(S/N). Rank r's i-th send goes
// to rank r+1+i, so every target takes in one piece at a time without waiting; the last has come L
// later.
TEST_CASE("direct takes (N-1) T(S/N) + L for each of its stages") {
  for (std::int32_t n = 2; n <= 64; ++n) {
    const Bytes size = bytes(1'000 * n);
    const Duration stage = transfer_time(bytes(1'000), kBandwidth) * (n - 1) + kPath;
    CHECK(time_of("direct", Collective::all_reduce, n, size) == stage * 2);
    CHECK(time_of("direct", Collective::all_to_all, n, size) == stage);
    CHECK(time_of("direct", Collective::reduce_scatter, n, size) == stage);
    CHECK(time_of("direct", Collective::all_gather, n, size) == stage);
  }
}

// One chunk goes whole through one tree. N = 2^k: below the root hangs a perfect tree of k levels.
// Up: both children send at the same time and share the parent's port, so a level takes 2T + L; k-1
// such levels, then one child to the root, T + L. Down: the root to its child T + L, then k-1 times
// the second child, 2T + L.
TEST_CASE("double binary tree takes 2(k-1)(2T(S) + L) + 2(T(S) + L) for one chunk, N = 2^k") {
  const Bytes size = bytes(100'000);
  const Duration t = transfer_time(size, kBandwidth);
  for (int k = 1; k <= 6; ++k) {
    const Duration expected = (t * 2 + kPath) * (2 * (k - 1)) + (t + kPath) * 2;
    CHECK(time_of("double_binary_tree", Collective::all_reduce, 1 << k, size) == expected);
  }
}

// All-to-all by ring: step s carries what is not home yet, N-1-s pieces; a rank sends N(N-1)/2
// pieces.
TEST_CASE("ring all-to-all relays N-1-s pieces in step s") {
  const std::int32_t n = 8;
  Duration expected;
  for (std::int32_t s = 0; s < n - 1; ++s)
    expected += kPath + transfer_time(bytes(1'000 * (n - 1 - s)), kBandwidth);
  CHECK(time_of("ring", Collective::all_to_all, n, bytes(1'000 * n)) == expected);
}

// Every algorithm moves 2(N-1) S in all for an all-reduce: 2(N-1)/N S sent by an average rank.
TEST_CASE("an all-reduce sends 2(N-1)/N S bytes per rank on average, whatever the algorithm") {
  for (const char* algorithm : {"ring", "direct", "double_binary_tree"})
    for (const std::int32_t n : {2, 7, 16, 33})
      for (const std::int64_t size : {1'000'000L, 1'000'003L}) {
        World world({switch_level(n, kBandwidth, kLink)}, plain_system(algorithm),
                    World::everywhere(n, {collective(0, Collective::all_reduce, bytes(size))}));
        world.run();
        const auto traffic = world.network->statistics().levels[0].bytes_by_label;
        INFO(algorithm << " " << n << " " << size);
        CHECK(traffic[0] == bytes(2 * (n - 1) * size));
      }
}

// Two switch levels {16, 8}. Hier: every rank takes part in an all-reduce of the whole S over the
// outer level, 2(8-1) S for each of 16 local ranks. HierOpt: of its sixteenth only.
TEST_CASE(
    "the local-bandwidth-aware schedule divides the scale-out bytes by the local group size") {
  const auto outer_bytes = [](HierarchicalSchedule schedule) {
    SystemSpec spec = plain_system("direct");
    auto& all_reduce = spec.collectives[static_cast<int>(Collective::all_reduce)];
    all_reduce.schedule = schedule;
    all_reduce.algorithms = {"direct", "double_binary_tree"};
    all_reduce.chunks = 3;
    World world(
        {switch_level(16, gigabytes_per_second(150), kLink), switch_level(8, kBandwidth, kLink)},
        spec, World::everywhere(128, {collective(0, Collective::all_reduce, bytes(1'000'001))}));
    world.run();
    REQUIRE(world.runner->finished());
    return world.network->statistics().levels[1].bytes_by_label[0];
  };
  const Bytes hier = outer_bytes(HierarchicalSchedule::baseline);
  CHECK(hier == bytes(16 * 2 * 7 * 1'000'001LL));
  CHECK(outer_bytes(HierarchicalSchedule::local_bandwidth_aware) * 16 == hier);
}

// HOTI'20 study: 114.8 MB over 128 ranks. Bound: 2 * 127/128 * 114,820,096 B / 12.5 GB/s = 18.228
// ms.
TEST_CASE("an all-reduce of 114.8 MB cut finely comes within 5 % of the bandwidth bound") {
  for (const char* algorithm : {"ring", "direct", "double_binary_tree"})
    for (const std::int64_t gigabits : {100, 800}) {
      SystemSpec spec = plain_system(algorithm);
      const bool tree = std::string(algorithm) == "double_binary_tree";
      spec.collectives[0].chunks = tree ? 1024 : 16;
      spec.injection_latency = nanoseconds(10);
      World world(
          {switch_level(128, gigabits_per_second(gigabits), kLink)}, spec,
          World::everywhere(128, {collective(0, Collective::all_reduce, bytes(114'820'096))}));
      const Duration time = world.run();
      const Duration bound = world.runner->bound_of(0);
      const Duration limit = gigabits == 100 ? microseconds(18'228) : microseconds(2'278);
      INFO(algorithm << " at " << gigabits << " Gb/s: " << time.value << " ps");
      CHECK(time >= limit);
      CHECK(time.value <= limit.value * 105 / 100);
      CHECK(bound.value == Approx(static_cast<double>(limit.value)).epsilon(1e-3));
    }
}

// The injection latency is paid at both ends of every message: a ring step takes 2d longer.
TEST_CASE("injection latency is paid once before sending and once after receiving") {
  const std::int32_t n = 4;
  SystemSpec spec = plain_system("ring");
  spec.injection_latency = nanoseconds(700);
  World world({switch_level(n, kBandwidth, kLink)}, spec,
              World::everywhere(n, {collective(0, Collective::all_reduce, bytes(4'000))}));
  const Duration step = nanoseconds(700) * 2 + kPath + transfer_time(bytes(1'000), kBandwidth);
  CHECK(world.run() == step * 6);
}

TEST_CASE("local levels pay the local injection latency") {
  SystemSpec spec = plain_system("ring");
  spec.injection_latency = microseconds(100);
  spec.local_injection_latency = nanoseconds(10);
  LevelSpec level = switch_level(4, kBandwidth, kLink);
  level.scope = Scope::local;
  World world({level}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(4'000))}));
  const Duration step = nanoseconds(20) + kPath + transfer_time(bytes(1'000), kBandwidth);
  CHECK(world.run() == step * 6);
}

// An arrival that is added takes size / reduction bandwidth: the N-1 reduce steps only.
TEST_CASE("reductions take time in the reduce steps") {
  SystemSpec spec = plain_system("ring");
  spec.reduction_bandwidth = gigabytes_per_second(1);  // 1 us for 1,000 B
  World world({switch_level(4, kBandwidth, kLink)}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, bytes(4'000))}));
  const Duration step = kPath + transfer_time(bytes(1'000), kBandwidth);
  CHECK(world.run() == step * 6 + microseconds(1) * 3);
}

// Nothing to send still has to be agreed on: latency only.
TEST_CASE("a collective of zero bytes costs latency only") {
  CHECK(time_of("ring", Collective::all_reduce, 4, bytes(0)) == kPath * 6);
}

}  // namespace
}  // namespace orrery
