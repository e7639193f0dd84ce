// One collective alone on one switch, no endpoint cost: the simulated time against the closed form
// of its algorithm, to the picosecond. B is the bandwidth of a link, L the latency of a path (two
// links), T(x) = ceil(x / B) the time of x bytes at a port.
#include <catch2/catch.hpp>

#include <bit>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

Duration time_of(const std::string& algorithm, Collective kind, std::int32_t ranks, Bytes size,
                 std::int32_t root = 0) {
  World world({switch_level(ranks, kBandwidth, kLink)}, plain_system(algorithm),
              World::everywhere(ranks, {collective(0, kind, size, {}, {}, root)}));
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

// N = 2^k. Halving, in step s: S/2^s to the partner and the same from it; doubling backwards:
// 2 (k L + T(S/2) + T(S/4) + ... + T(S/N)). PAT: in its step with jump J a rank sends one part for
// each multiple of 2J below N: the same sizes, whatever the partners.
TEST_CASE("halving-doubling and PAT take 2 (k L + T(S/2) + ... + T(S/N)), N = 2^k") {
  for (int k = 1; k <= 6; ++k) {
    const std::int32_t n = 1 << k;
    Duration half;
    for (int s = 0; s < k; ++s) half += kPath + transfer_time(bytes(1'000LL << s), kBandwidth);
    for (const char* algorithm : {"halving_doubling", "pat"}) {
      CHECK(time_of(algorithm, Collective::all_reduce, n, bytes(1'000 * n)) == half * 2);
      CHECK(time_of(algorithm, Collective::reduce_scatter, n, bytes(1'000 * n)) == half);
      CHECK(time_of(algorithm, Collective::all_gather, n, bytes(1'000 * n)) == half);
    }
    CHECK(time_of("recursive_doubling", Collective::all_gather, n, bytes(1'000 * n)) == half);
    CHECK(time_of("bruck", Collective::all_gather, n, bytes(1'000 * n)) == half);
  }
}

// N = 2^(k+1) - 1: all of the 2^k nodes but one have a guest, whose S comes first and goes back
// last.
TEST_CASE("recursive doubling takes k (L + T(S)), with guests two more") {
  const Bytes size = bytes(100'000);
  const Duration step = kPath + transfer_time(size, kBandwidth);
  for (std::int32_t k = 1; k <= 5; ++k)
    CHECK(time_of("recursive_doubling", Collective::all_reduce, 1 << k, size) == step * k);
  for (std::int32_t k = 2; k <= 5; ++k)
    CHECK(time_of("recursive_doubling", Collective::all_reduce, (2 << k) - 1, size) ==
          step * (k + 2));
}

// Step by step one part: (N-1)(L + T(S/N)), as a ring, but each part goes straight home. In a
// window of w: the w parts of a round leave one after the other.
TEST_CASE("pairwise takes (N-1)(L + T(S/N)), direct:w L + w T(S/N) a round") {
  const Duration part = transfer_time(bytes(1'000), kBandwidth);
  for (std::int32_t n = 2; n <= 33; ++n) {
    const Bytes size = bytes(1'000 * n);
    CHECK(time_of("pairwise", Collective::all_to_all, n, size) == (kPath + part) * (n - 1));
    CHECK(time_of("direct:1", Collective::all_to_all, n, size) == (kPath + part) * (n - 1));
  }
  // 12 peers, 5 at a time: 5, 5 and 2.
  CHECK(time_of("direct:5", Collective::all_to_all, 13, bytes(13'000)) == kPath * 3 + part * 12);
}

// Bruck, N = 2^k: k steps of half of the buffer.
TEST_CASE("Bruck's all-to-all takes k (L + T(S/2)), N = 2^k") {
  for (int k = 1; k <= 6; ++k) {
    const std::int32_t n = 1 << k;
    const Duration step = kPath + transfer_time(bytes(500 * n), kBandwidth);
    CHECK(time_of("bruck", Collective::all_to_all, n, bytes(1'000 * n)) == step * k);
  }
}

// The root's port is the bottleneck: N-1 messages one after the other, the last one L later. Any
// root does the same.
TEST_CASE("linear takes L + (N-1) T(S) or, of parts, L + (N-1) T(S/N)") {
  const Duration whole = transfer_time(bytes(9'000), kBandwidth);
  const Duration part = transfer_time(bytes(1'000), kBandwidth);
  for (const char* algorithm : {"linear", "direct"})
    for (const std::int32_t root : {0, 4, 8}) {
      const auto time = [&](Collective kind) {
        return time_of(algorithm, kind, 9, bytes(9'000), root);
      };
      CHECK(time(Collective::broadcast) == kPath + whole * 8);
      CHECK(time(Collective::reduce) == kPath + whole * 8);
      CHECK(time(Collective::scatter) == kPath + part * 8);
      CHECK(time(Collective::gather) == kPath + part * 8);
    }
}

// Chain: N-1 hops. Binomial, N = 2^k: the largest subtree is served first, so each of k steps is
// one message. A ring passes N parts on, of which the first has N-1 hops to go and the others
// follow.
TEST_CASE("broadcasts: chain (N-1)(L + T), binomial k(L + T), ring (N-1) L + (2N-2) T(S/N)") {
  const std::int32_t n = 16;
  const Bytes size = bytes(16'000);
  const Duration whole = kPath + transfer_time(size, kBandwidth);
  const Duration part = transfer_time(bytes(1'000), kBandwidth);
  for (const std::int32_t root : {0, 5})
    for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
      CHECK(time_of("chain", kind, n, size, root) == whole * (n - 1));
      CHECK(time_of("ring", kind, n, size, root) == kPath * (n - 1) + part * (2 * n - 2));
    }
  CHECK(time_of("binomial_tree", Collective::broadcast, n, size) == whole * 4);
}

// The parts of the upper half go first: S/2, then S/4, ...
TEST_CASE("a binomial scatter takes k L + T(S/2) + ... + T(S/N), N = 2^k") {
  for (int k = 1; k <= 6; ++k) {
    const std::int32_t n = 1 << k;
    Duration expected;
    for (int s = 0; s < k; ++s) expected += kPath + transfer_time(bytes(1'000LL << s), kBandwidth);
    CHECK(time_of("binomial_tree", Collective::scatter, n, bytes(1'000 * n)) == expected);
  }
}

TEST_CASE("a barrier takes ceil(log2 N) L") {
  for (std::int32_t n = 2; n <= 33; ++n)
    CHECK(time_of("dissemination", Collective::barrier, n, Bytes{}) ==
          kPath * std::bit_width(static_cast<unsigned>(n - 1)));
}

// A torus of one dimension has links in both directions; one channel uses half of them. With both,
// each carries half of every part: T(S/2N) a step instead of T(S/N).
TEST_CASE("two channels use both directions of a ring") {
  const auto time = [](const char* algorithm) {
    World world({{"", LevelKind::ring, 8, kBandwidth, kLink, Scope::scale_out}},
                plain_system(algorithm),
                World::everywhere(8, {collective(0, Collective::all_reduce, bytes(16'000))}));
    return world.run();
  };
  CHECK(time("ring") == (kLink + transfer_time(bytes(2'000), kBandwidth)) * 14);
  CHECK(time("ring:2") == (kLink + transfer_time(bytes(1'000), kBandwidth)) * 14);
}

// {4, 3} ranks, root 6 = (2, 1). Baseline: over the outer level once to each other node, 2 S;
// inside each of 3 nodes 3 S. Aware: inside, 3/4 S from the root to its neighbours (scatter), and 4
// ranks of each of 3 nodes send 3/4 S (all-gather); outside 4 times 2 S/4. Gather and scatter: 3/4
// S in the root's node, and outside 4 ranks that deal with 2/3 of S/4.
TEST_CASE("the bytes of collectives with a root over two levels") {
  const auto bytes_of = [](Collective kind, HierarchicalSchedule schedule) {
    SystemSpec spec = plain_system("direct");
    spec.collectives[static_cast<int>(kind)].schedule = schedule;
    World world({switch_level(4, kBandwidth, kLink), switch_level(3, kBandwidth, kLink)}, spec,
                World::everywhere(12, {collective(0, kind, bytes(12'000), {}, {}, 6)}));
    world.run();
    REQUIRE(world.runner->finished());
    const auto& levels = world.network->statistics().levels;
    const auto label = static_cast<std::size_t>(kind);
    return std::pair(levels[0].bytes_by_label[label].narrow(),
                     levels[1].bytes_by_label[label].narrow());
  };
  const auto baseline = HierarchicalSchedule::baseline;
  const auto aware = HierarchicalSchedule::local_bandwidth_aware;
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    CHECK(bytes_of(kind, baseline) == std::pair(bytes(3 * 3 * 12'000), bytes(2 * 12'000)));
    CHECK(bytes_of(kind, aware) == std::pair(bytes(9'000 + 12 * 9'000), bytes(4 * 2 * 3'000)));
  }
  for (const Collective kind : {Collective::gather, Collective::scatter})
    for (const auto schedule : {baseline, aware})
      CHECK(bytes_of(kind, schedule) == std::pair(bytes(9'000), bytes(4 * 2'000)));
}

// Every algorithm moves 2(N-1) S in all for an all-reduce: 2(N-1)/N S sent by an average rank.
// 997,920 is a multiple of 3 N for all N here, so no part is rounded up. Else each of at most 3 N
// parts (of ring:3) that go 2(N-1) times grows by less than a byte.
TEST_CASE("an all-reduce sends 2(N-1)/N S bytes per rank on average, whatever the algorithm") {
  for (const char* algorithm : {"ring", "ring:3", "direct", "direct:4", "pat", "double_binary_tree",
                                "binary_tree", "binomial_tree", "chain", "linear"})
    for (const std::int32_t n : {2, 7, 16, 33})
      for (const std::int64_t size : {997'920L, 1'000'003L}) {
        World world({switch_level(n, kBandwidth, kLink)}, plain_system(algorithm),
                    World::everywhere(n, {collective(0, Collective::all_reduce, bytes(size))}));
        world.run();
        const auto traffic = world.network->statistics().levels[0].bytes_by_label;
        INFO(algorithm << " " << n << " " << size);
        const std::int64_t sent = traffic[0].narrow().value, least = 2 * (n - 1) * size;
        CHECK(sent >= least);
        CHECK(sent < least + (size % 11'088 == 0 ? 1 : 2 * (n - 1) * 3 * n));
      }
}

// 1,000,003 B do not divide by 7: the parts are of 142,858 B, the largest one, and 12 steps of a
// ring each take 142,858 x 80 ps and two links of 500 ns: 12 x (11,428,640 + 1,000,000) ps.
TEST_CASE("a step of a ring takes as long as the largest part of what does not divide") {
  World world({switch_level(7, kBandwidth, kLink)}, plain_system("ring"),
              World::everywhere(7, {collective(0, Collective::all_reduce, bytes(1'000'003))}));
  CHECK(world.run() == picoseconds(149'143'680));
}

// Two switch levels {16, 8}. Hier: every rank takes part in an all-reduce of the whole S over the
// outer level, 2(8-1) S for each of 16 local ranks. HierOpt: of its sixteenth only. S is a multiple
// of 3 chunks x 16, so no part is rounded up.
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
        spec, World::everywhere(128, {collective(0, Collective::all_reduce, bytes(1'000'032))}));
    world.run();
    REQUIRE(world.runner->finished());
    return world.network->statistics().levels[1].bytes_by_label[0];
  };
  const TotalBytes hier = outer_bytes(HierarchicalSchedule::baseline);
  CHECK(hier == bytes(16 * 2 * 7 * 1'000'032LL));
  CHECK(outer_bytes(HierarchicalSchedule::local_bandwidth_aware) * 16 == hier);
}

// HOTI'20 study: 114.8 MB over 128 ranks. Bound: 2 * 127/128 * 114,820,096 B / 12.5 GB/s = 18.228
// ms.
TEST_CASE("an all-reduce of 114.8 MB cut finely comes within 5 % of the bandwidth bound") {
  for (const char* algorithm :
       {"ring", "ring:2", "direct", "direct:16", "halving_doubling", "pat", "double_binary_tree"})
    for (const std::int64_t gigabits : {100, 800}) {
      SystemSpec spec = plain_system(algorithm);
      const bool tree = std::string(algorithm) == "double_binary_tree";
      spec.collectives[0].chunks = tree ? 1024 : 16;
      spec.injection_latency = nanoseconds(10);
      World world(
          {switch_level(128, gigabits_per_second(gigabits), kLink)}, spec,
          World::everywhere(128, {collective(0, Collective::all_reduce, bytes(114'820'096))}));
      const Duration time = world.run();
      const Duration bound = world.runner->call_of(0).value().bandwidth_bound;
      const Duration limit = gigabits == 100 ? microseconds(18'228) : microseconds(2'278);
      INFO(algorithm << " at " << gigabits << " Gb/s: " << time.value << " ps");
      CHECK(time >= limit);
      CHECK(time.value <= limit.value * 105 / 100);
      CHECK(bound.value == Approx(static_cast<double>(limit.value)).epsilon(1e-3));
    }
}

// What limits a broadcast cut finely is the rank that sends most: in a chain everyone sends S once,
// in a binary tree the inside ranks send it twice, in two trees each sends half of it twice, and a
// linear root sends it n-1 times. (The limit on chunks in flight matters to the reduce over two
// trees: without it a rank's port is given all it has to send as a leaf before anything it sends
// inside.)
TEST_CASE("a finely cut broadcast or reduce takes the bytes at the busiest port") {
  const std::int32_t n = 15;  // of a binary tree: all inside ranks have two children
  const Bytes size = bytes(100'000'000);
  const Duration once = transfer_time(size, kBandwidth);
  const auto time = [&](const char* algorithm, Collective kind) {
    SystemSpec spec = plain_system(algorithm);
    spec.collectives[static_cast<int>(kind)].chunks = 1024;
    World world({switch_level(n, kBandwidth, kLink)}, spec,
                World::everywhere(n, {collective(0, kind, size)}));
    return static_cast<double>(world.run().value) / static_cast<double>(once.value);
  };
  for (const Collective kind : {Collective::broadcast, Collective::reduce}) {
    INFO(name_of(kind));
    CHECK(time("chain", kind) == Approx(1).epsilon(0.04));
    CHECK(time("ring", kind) == Approx(1).epsilon(0.04));
    CHECK(time("double_binary_tree", kind) == Approx(1).epsilon(0.04));
    CHECK(time("binary_tree", kind) == Approx(2).epsilon(0.04));
    CHECK(time("linear", kind) == Approx(n - 1).epsilon(0.04));
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

// 300 ranks post 299 messages each, enough to be held until they leave (PlanExecutor). Messages of
// 1,250 B at 12.5 GB/s take 0.1 us. In step d everyone sends to rank + d, so that a port takes in
// one message at a time, and the last comes 299 * 0.1 us + 2 * 0.5 us after the first left.
TEST_CASE("a direct all-to-all of many ranks takes n - 1 messages and one path") {
  using namespace test;
  World world({switch_level(300, gigabits_per_second(100), nanoseconds(500))},
              plain_system("direct"),
              World::everywhere(300, {collective(0, Collective::all_to_all, bytes(300 * 1'250))}));
  CHECK(world.run() == nanoseconds(29'900) + microseconds(1));
  CHECK(world.runner->finished());
  CHECK(world.network->statistics().messages == 300 * 299);
}

}  // namespace
}  // namespace orrery
