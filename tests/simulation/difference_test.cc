// What makes the difference between two systems that differ in one thing.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "simulation/simulate.h"
#include "tests/simulation/known_causes.h"

namespace orrery {
namespace {

using namespace known_causes;

// The largest part is the one that the one thing is behind. Of its kind it takes all of the
// difference but a hundredth, and all parts together are the difference to the picosecond.
struct Pair {
  const char* name;
  std::string part, level;
  Experiment here, fastest;
};

std::vector<Pair> pairs() {
  return {
      // The passes are the same; of 1 micro-batch the bubble is 3 of 4 passes, of 4 it is 3/4 of
      // one.
      {"bubble", "bubble", "", bubble_only(1), bubble_only(4)},
      {"tensor inside", "TP", "node", tensor_inside(1), tensor_inside(2)},
      {"tensor across", "TP", "fabric", tensor_across(1), tensor_across(2)},
      {"gradients", "DP", "fabric", exposed_gradients(1), exposed_gradients(2)},
      // 14 steps of 10 and of 5 us.
      {"latency", "all_reduce", "ring", latency_only(), latency_only(microseconds(5))},
      {"hot link", "all_reduce", "", hot_link("ecmp"), hot_link("spray")},
      // The others wait for 20 and for 10 ms.
      {"straggler", "all_reduce", "", straggler(3, 3), straggler(3, 2)},
      {"limit", "all_reduce", "ring", one_chunk_at_a_time(1), one_chunk_at_a_time(2)},
      // Half of the 3 ms in the port itself, half while the server has others to answer first.
      {"fan-in", "DP", "ring", fan_in(1), fan_in(2)},
      {"compute", "compute", "", computing_only(milliseconds(3)), computing_only(milliseconds(2))},
  };
}

Duration sum_of(const std::vector<PartDifference>& parts) {
  Duration sum;
  for (const PartDifference& part : parts) sum += part.difference;
  return sum;
}

TEST_CASE("one part explains the difference of systems that differ in one thing") {
  for (const Pair& pair : pairs()) {
    INFO(pair.name);
    const RunResult here = simulate(pair.here), fastest = simulate(pair.fastest);
    std::vector<PartDifference> parts = part_differences(here, fastest);
    const Duration whole = here.finish - fastest.finish;
    CHECK(whole > Duration{});
    CHECK(sum_of(parts) == whole);
    REQUIRE_FALSE(parts.empty());
    INFO(parts.front().part << " on " << parts.front().level);
    CHECK(parts.front().part == pair.part);
    if (!pair.level.empty()) CHECK(parts.front().level == pair.level);
    std::erase_if(parts, [&](const PartDifference& part) { return part.part != pair.part; });
    CHECK(static_cast<double>(sum_of(parts).value) ==
          Approx(static_cast<double>(whole.value)).epsilon(0.01));
  }
}

// Half of what memory takes: of the optimizer, and of the passes, which wait for it too.
TEST_CASE("memory bandwidth makes the difference in the optimizer first") {
  const RunResult here = simulate(optimizer_only(100)), fastest = simulate(optimizer_only(200));
  const std::vector<PartDifference> parts = part_differences(here, fastest);
  CHECK(sum_of(parts) == here.finish - fastest.finish);
  REQUIRE(parts.size() >= 2);
  CHECK(parts[0].part == "optimizer");
  CHECK(parts[0].here.value == Approx(2.0 * static_cast<double>(parts[0].fastest.value)));
  CHECK(parts[1].part == "memory-bound kernels");
  CHECK(static_cast<double>((parts[0].difference + parts[1].difference).value) ==
        Approx(static_cast<double>((here.finish - fastest.finish).value)).epsilon(0.01));
}

// The rank that finishes last computes for its own expert, or waits for the rank of a more popular
// one: the difference is in these two.
TEST_CASE("popular experts make the difference in computing and waiting for it") {
  const RunResult here = simulate(popular_experts()),
                  fastest = simulate(popular_experts(ExpertLoad::uniform));
  const std::vector<PartDifference> parts = part_differences(here, fastest);
  const Duration whole = here.finish - fastest.finish;
  CHECK(sum_of(parts) == whole);
  Duration explained;
  for (const PartDifference& part : parts)
    if (part.part == "EP" || part.part == "compute") explained += part.difference;
  CHECK(static_cast<double>(explained.value) ==
        Approx(static_cast<double>(whole.value)).epsilon(0.01));
}

}  // namespace
}  // namespace orrery
