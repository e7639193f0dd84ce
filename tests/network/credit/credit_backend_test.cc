// The credit backend against time lines by hand. Links of 1 GB/s carry a byte in 1 ns, in 100 ns;
// segments of 1,000 B take 1,000 ns.
#include <catch2/catch.hpp>

#include "core/base/random.h"
#include "network/credit_room.h"
#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

constexpr std::int64_t piece = 1'000;

NetworkSpec room_for(std::int64_t segments) {
  NetworkSpec spec;
  spec.credit = {.segment = bytes(piece), .buffer = bytes(piece * segments)};
  spec.queue.segment = bytes(piece);
  return spec;
}

struct Fabric : test::OneLevel {
  Fabric(LevelKind kind, std::int32_t size, std::int64_t segments,
         Duration latency = nanoseconds(100))
      : OneLevel("credit", kind, size, room_for(segments), latency) {}
};

// A link of 600 ns: a segment that begins at t is there at t + 1,600, and the credit is back at
// t + 2,200. With room for one, one begins every 2,200 ns: the fourth at 6,600. With room for two,
// two begin every 2,200 ns: at 0, 1,000, 2,200 and 3,200. With room for three the credit is back
// when the third is out, so the link never rests: the fourth begins at 3,000. Each ends 1,600
// later.
TEST_CASE("over one link, a buffer of segments goes in each turn of the credits") {
  const auto fourth = [](std::int64_t segments) {
    Fabric fabric(LevelKind::ring, 4, segments, nanoseconds(600));
    const auto m = fabric.send(0, 1, 4 * piece);
    fabric.queue.run();
    CHECK(fabric.log.deliveries[m] == 1);
    CHECK(fabric.injected(m) == fabric.delivered(m) - nanoseconds(600));
    return fabric.delivered(m);
  };
  CHECK(fourth(1) == nanoseconds(8'200));
  CHECK(fourth(2) == nanoseconds(4'800));
  CHECK(fourth(3) == nanoseconds(4'600));
  CHECK(fourth(1'000) == nanoseconds(4'600));
}

// 0 -> 2 by way of 1, room for one. First segment: out at 1,000, at 1 at 1,100, on the second link
// until 2,100: only then is its place free, and 0 knows at 2,200. It is at 2 at 2,200. So one every
// 2,200 ns = 2 x 1,000 + 2 x 100: the second is delivered at 4,400, the third at 6,600; it left 0
// at 4,400 + 1,000. With room for two the second goes at 1,000 and is delivered at 3,200; the third
// waits for the first's credit until 2,200. With room for all: 3,000 ns on the first link, 1,000 on
// the second, 200.
TEST_CASE("at a node between, a place is free when its segment has left") {
  const auto run = [](std::int64_t segments) {
    Fabric fabric(LevelKind::ring, 4, segments);
    const auto m = fabric.send(0, 2, 3 * piece);
    fabric.queue.run();
    return std::pair(fabric.injected(m), fabric.delivered(m));
  };
  CHECK(run(1) == std::pair(nanoseconds(5'400), nanoseconds(6'600)));
  CHECK(run(2) == std::pair(nanoseconds(3'200), nanoseconds(4'400)));
  CHECK(run(3) == std::pair(nanoseconds(3'000), nanoseconds(4'200)));
}

// Around a switch, ranks 1 and 0 send to 3 (b, a), then 0 sends c to 2, whose link nobody else
// wants. Room for one, on the links to the switch and from it. b and a are at the switch at 1,100.
// b goes on until 2,100 and is at 3 at 2,200; the switch knows at 2,300. a goes on until 3,300, and
// rank 0 knows at 3,400: only then does c begin. At the switch at 4,500, at 2 at 5,600.
// Without b: a goes on until 2,100, c begins at 2,200 and is there at 3,300, at 2 at 4,400.
// With room for two, c begins behind a at 1,000: at the switch at 2,100, at 2 at 3,200.
TEST_CASE("a receiver that is busy holds back what goes elsewhere through the same buffer") {
  const auto c_at = [](std::int64_t segments, bool with_b) {
    Fabric fabric(LevelKind::switched, 4, segments);
    if (with_b) fabric.send(1, 3, piece);
    fabric.send(0, 3, piece);
    const auto c = fabric.send(0, 2, piece);
    fabric.queue.run();
    return fabric.delivered(c);
  };
  CHECK(c_at(1, true) == nanoseconds(5'600));
  CHECK(c_at(1, false) == nanoseconds(4'400));
  CHECK(c_at(2, true) == nanoseconds(3'200));
}

// Rank 0 of a ring sends four segments to 1, rank 3 one, by way of 0. It is there at 1,100, when
// the second of 0's own is on the link; it goes next, at 2,000, before two that wait since the
// beginning. Out at 3,000, there at 3,100; the last of the four leaves at 5,000.
TEST_CASE("a link serves its inputs in turn") {
  Fabric fabric(LevelKind::ring, 4, 1'000);
  const auto own = fabric.send(0, 1, 4 * piece), passing = fabric.send(3, 1, piece);
  fabric.queue.run();
  CHECK(fabric.delivered(passing) == nanoseconds(3'100));
  CHECK(fabric.delivered(own) == nanoseconds(5'100));
}

// A link of 100 us. A credit is back after two segments, 2 us, and 200 us: 202 segments keep the
// first of two links full, so 1,000 segments take 1,000 us on it, 1 us on the second, and 200 us.
// Without a size the buffer has that room, in place of 64 KiB, which are 65 segments: the fifteenth
// 65 begin 15 x 202 us later. A short link has 64 KiB all the same. 400 Gb/s carry 4 KiB in 81.92
// ns, and 10 us are 122.07 of that: 2 + 123 segments.
TEST_CASE("a buffer without a size keeps its link full") {
  NetworkSpec spec;
  spec.credit.segment = bytes(piece);
  test::OneLevel fabric("credit", LevelKind::switched, 4, spec, microseconds(100));
  const auto m = fabric.send(0, 1, 1'000 * piece);
  fabric.queue.run();
  CHECK(fabric.delivered(m) == microseconds(1'201));
  CHECK(room_behind(spec.credit, gigabytes_per_second(1), microseconds(100)) == bytes(202'000));
  CHECK(room_behind({}, gigabits_per_second(400), microseconds(5)) == kibibytes(4 * 125));
  CHECK(room_behind({}, gigabits_per_second(400), nanoseconds(500)) == kibibytes(64));
}

// --- Many messages ---

struct Run {
  std::vector<Time> delivered_at;
  std::vector<int> deliveries;
  NetworkStatistics statistics;
};

TopologySpec torus(std::initializer_list<std::int32_t> sizes) {
  TopologySpec spec;
  for (const std::int32_t size : sizes)
    spec.levels.push_back({"", LevelKind::ring, size, gigabytes_per_second(1), nanoseconds(100)});
  return spec;
}

// Every rank sends `size` to every other one, at once.
Run all_to_all(const TopologySpec& platform, const NetworkSpec& spec, std::int64_t size) {
  EventQueue queue;
  const Topology topology(platform);
  const auto network = find_backend("credit")->make(queue, topology, spec);
  test::MessageLog log(queue);
  const std::int32_t ranks = topology.npu_count();
  for (std::int32_t step = 1; step < ranks; ++step)
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      log.send(*network, rank, (rank + step) % ranks, bytes(size));
  queue.run();
  return {log.delivered_at, log.deliveries, network->statistics()};
}

void check_complete(const Run& run, std::size_t ranks) {
  REQUIRE(run.deliveries.size() == ranks * (ranks - 1));
  CHECK(run.deliveries == std::vector<int>(run.deliveries.size(), 1));
}

TotalBytes crossed(const Run& run) {
  TotalBytes sum;
  for (const TotalBytes b : run.statistics.links) sum += b;
  return sum;
}

// On a ring of 4 the others are 1, 1 and 2 links away: 4 in all, so 4 x 4 on each of d dimensions,
// and every message takes 4^d / 4 times that many: a rank's messages cross d x 4^d links.
TEST_CASE("an all-to-all on a torus ends with buffers of one segment or two") {
  for (const std::int64_t segments : {1, 2}) {
    const Run flat = all_to_all(torus({4, 4}), room_for(segments), 5 * piece / 2);
    check_complete(flat, 16);
    CHECK(crossed(flat) == bytes(5 * piece / 2) * (16 * 2 * 16));
    const Run cube = all_to_all(torus({4, 4, 4}), room_for(segments), 3 * piece / 2);
    check_complete(cube, 64);
    CHECK(crossed(cube) == bytes(3 * piece / 2) * (64 * 3 * 64));
  }
}

TEST_CASE("no circle of full buffers on rings of odd and even size, nor off the shortest ways") {
  for (const std::int32_t size : {3, 5, 8})
    check_complete(all_to_all(torus({size}), room_for(1), 4 * piece),
                   static_cast<std::size_t>(size));
  NetworkSpec detours = room_for(1);
  detours.routing.policy = RoutingPolicy::valiant;
  check_complete(all_to_all(torus({4, 4}), detours, 2 * piece), 16);
  detours.routing.policy = RoutingPolicy::spray;
  check_complete(all_to_all(torus({4, 4}), detours, 2 * piece), 16);
}

// The link from 0 to 1 fails while all but two of the segments wait for it; they go round the ring.
TEST_CASE("segments that wait for a link which fails go another way") {
  NetworkSpec spec = room_for(1);
  EventQueue queue;
  const Topology topology(torus({4}));
  const auto link = static_cast<LinkIndex>(topology.egress_link(0, {0}, 0));
  Fault fault;
  fault.at = Time{} + nanoseconds(1'500);
  fault.link = link;
  spec.routing.faults = {fault};
  const auto network = find_backend("credit")->make(queue, topology, spec);
  test::MessageLog log(queue);
  log.send(*network, 0, 1, bytes(6 * piece));
  queue.run();
  CHECK(log.deliveries[0] == 1);
  CHECK(network->statistics().links[link] == bytes(2 * piece));
  const auto way_round = static_cast<LinkIndex>(topology.egress_link(0, {0}, 1));
  CHECK(network->statistics().links[way_round] == bytes(4 * piece));
}

std::vector<Time> storm(std::string_view backend, std::int64_t segments, std::uint64_t seed) {
  EventQueue queue;
  const Topology topology(torus({4, 4}));
  const auto network = find_backend(backend)->make(queue, topology, room_for(segments));
  test::MessageLog log(queue);
  RandomStream random(seed, "storm");
  for (int i = 0; i < 300; ++i) {
    const std::int32_t source = 0;
    const auto target = static_cast<std::int32_t>(1 + random.uniform_int(15));
    const Bytes size = bytes(static_cast<std::int64_t>(random.uniform_int(20'000)));
    const Duration at = picoseconds(static_cast<std::int64_t>(random.uniform_int(90'000'000)));
    queue.schedule(at, [&, target, size] { log.send(*network, source, target, size); });
  }
  queue.run();
  return log.delivered_at;
}

// With room for everything a credit is never waited for, and a link that only one input feeds is
// first come, first served: with one source, all are.
TEST_CASE("unlimited buffers give the times of the queue backend where nothing merges") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    INFO("seed " << seed);
    const std::vector<Time> queued = storm("queue", 1, seed);
    CHECK(storm("credit", 1'000'000, seed) == queued);
    CHECK(storm("credit", 1, seed) != queued);
  }
}

}  // namespace
}  // namespace orrery
