// Parts of what `auto` estimates by.
#include "system/rank/chunk_line.h"

#include <catch2/catch.hpp>

#include "system/rank/busiest_link.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

TimedStage sending(Duration time, Duration latency = {}) { return {1, latency, time, time, time}; }

// Four chunks are there at 0. The first one sends its first stage at once; then its connection
// sends those of the other three, which were posted before its second one. It leaves the level at
// 1 + 3 + 2 = 6 us, the others 2 us apart, and passes the next one in 10: 6 + 4 x 10. With the
// stages the other way round it leaves at 2 + 6 + 1.
TEST_CASE("a stage waits for the stages that other chunks posted before") {
  const std::vector<TimedStage> growing{sending(microseconds(1)), sending(microseconds(2))},
      shrinking{sending(microseconds(2)), sending(microseconds(1))},
      next{sending(microseconds(10), microseconds(5))};
  CHECK(time_in_line({{0, 0, growing}}, 4) == microseconds(12));
  CHECK(time_in_line({{0, 0, growing}, {1, 1, next}}, 4) == microseconds(6 + 40 + 5));
  CHECK(time_in_line({{0, 0, shrinking}, {1, 1, next}}, 4) == microseconds(9 + 40 + 5));
}

// Four chunks take 10 us each on a level that tapers: the port could carry them in 5. So beside it
// the next level has half of the port from 10 to 40 us, and has done 15 us of its 40.
TEST_CASE("levels behind one port share it") {
  const TimedStage tapered{1, {}, microseconds(10), microseconds(5), {}};
  const TimedStage leaf{1, {}, microseconds(10), microseconds(10), {}};
  const std::vector<TimedStage> first{tapered}, second{leaf};
  CHECK(time_in_line({{0, 0, first}, {1, 0, second}}, 4) == microseconds(65));
  CHECK(time_in_line({{0, 0, first}, {1, 1, second}}, 4) == microseconds(50));
}

// Three chunks of two stages. On one connection the second stage of the first chunk goes after the
// first one of the others, from 30 to 40 us; on its own it goes beside that of the second chunk,
// from 10 to 30.
TEST_CASE("stages to different peers go beside each other") {
  std::vector<TimedStage> stages{sending(microseconds(10)), sending(microseconds(10))};
  const std::vector<TimedStage> next{sending(microseconds(100))};
  CHECK(time_in_line({{0, 0, stages}, {1, 1, next}}, 3) == microseconds(340));
  stages[1].connection = 1;
  CHECK(time_in_line({{0, 0, stages}, {1, 1, next}}, 3) == microseconds(330));
}

// Three chunks of two stages of 10 us, 5 us on the way each. One at a time, each takes 30. With two
// places they send from 0, 10, 20 and 30 us; the first one has gone at 35, so the third one sends
// from 40, after the second, to 50, and from 55 to 65. All at once send six times without a pause.
TEST_CASE("a chunk begins a phase when there is a place") {
  const std::vector<TimedStage> stages(2, sending(microseconds(10), microseconds(5)));
  const auto time = [&](std::int32_t places) {
    return time_in_line({{0, 0, stages, 0, places}}, 3);
  };
  CHECK(time(1) == microseconds(90));
  CHECK(time(2) == microseconds(70));
  CHECK(time(0) == microseconds(65));
}

// Two levels behind one port, two chunks one at a time on each. From 10 us on the first one's stage
// on the outer level and the second one's on the inner level have half of the port, to 30. The
// place outside is free at 35, when the message has come; the second chunk sends to 45.
TEST_CASE("chunks in turn share the port of two levels") {
  const std::vector<TimedStage> inside{sending(microseconds(10))},
      outside{sending(microseconds(10), microseconds(5))};
  CHECK(time_in_line({{0, 0, inside, 0, 1}, {1, 0, outside, 1, 1}}, 2) == microseconds(50));
}

// A ring of four, 100 GB/s: a chain sends the buffer once over each of three links. A binomial tree
// sends it from 0 to 2, half of it each way, and from 0 to 1. To reduce, the same links carry it
// backwards. Two double trees, of which each carries every other chunk, send twice half of it
// from 0.
TEST_CASE("the busiest link of a tree on a ring") {
  LevelSpec ring = switch_level(4, gigabytes_per_second(100), nanoseconds(500));
  ring.kind = LevelKind::ring;
  const Topology topology({{ring}});
  const auto copies = [&](const char* name, Collective kind = Collective::broadcast) {
    return seconds_of_busiest_link(topology, 0, *NamedAlgorithm(name).algorithm, kind) * 100e9;
  };
  CHECK(copies("chain") == Approx(1));
  CHECK(copies("binomial_tree") == Approx(1.5));
  CHECK(copies("binomial_tree", Collective::reduce) == Approx(1.5));
  CHECK(copies("double_binary_tree") <= 1.5);
}

}  // namespace
}  // namespace orrery
