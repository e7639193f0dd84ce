// Parts of what `auto` estimates by.
#include "system/rank/chunk_line.h"

#include <catch2/catch.hpp>

#include "system/rank/busiest_link.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

TimedStage sending(Duration time) { return {1, {}, time, time, time}; }

// Four chunks are there at 0. The first one sends its first stage at once; then its port sends
// those of the other three, which were posted before its second one.
TEST_CASE("a stage waits for the stages that other chunks posted before") {
  const std::vector<TimedStage> growing{sending(microseconds(1)), sending(microseconds(2))};
  const ChunkLine after_growing = through(growing, {}, 4);
  CHECK(after_growing.first == microseconds(1 + 3 * 1 + 2));
  CHECK(after_growing.last == microseconds(4 * 3));
  const std::vector<TimedStage> shrinking{sending(microseconds(2)), sending(microseconds(1))};
  CHECK(through(shrinking, {}, 4).first == microseconds(2 + 3 * 2 + 1));
}

// A ring of four, 100 GB/s: a chain sends the buffer once over each of three links. A binomial tree
// sends it from 0 to 2 and from 0 to 1: twice over the link from 0 to 1. Two double trees, of which
// each carries every other chunk, send twice half of it from 0.
TEST_CASE("the busiest link of a tree on a ring") {
  LevelSpec ring = switch_level(4, gigabytes_per_second(100), nanoseconds(500));
  ring.kind = LevelKind::ring;
  const Topology topology({{ring}});
  const auto copies = [&](const char* name) {
    return seconds_of_busiest_link(topology, 0, *NamedAlgorithm(name).algorithm,
                                   Collective::broadcast) *
           100e9;
  };
  CHECK(copies("chain") == Approx(1));
  CHECK(copies("binomial_tree") == Approx(2));
  CHECK(copies("double_binary_tree") <= 1.5);
}

}  // namespace
}  // namespace orrery
