// Communication that goes on beside computing binds a run where faster computing gains less.
#include "simulation/binding_part.h"

#include <catch2/catch.hpp>

#include "report/why_text.h"
#include "simulation/simulate.h"
#include "tests/simulation/known_causes.h"

namespace orrery {
namespace {

using namespace known_causes;

constexpr std::int64_t flops_of_a_millisecond = 1'000'000'000;  // of 1 TFLOP/s

Compute computing(std::int64_t milliseconds_of_it) {
  return {Flops{flops_of_a_millisecond * milliseconds_of_it}, {}, {}};
}

// 8 ranks on a ring of 1 GB/s compute for some ms, sum 8 MB beside more computing, and wait.
Experiment beside(std::int64_t before, std::int64_t meanwhile) {
  Experiment experiment = on_ring(8);
  experiment.npu.peak = teraflops_per_second(1);
  ProgramSpec program;
  const CollectiveCall call{
      .kind = Collective::all_reduce, .communicator = 0, .size = bytes(8'000'000), .update = {}};
  program.parts.emplace_back().steps = {{"before", {0, -1, computing(before)}},
                                        {"sum", {0, -1, call}},
                                        {"meanwhile", {0, -1, computing(meanwhile)}},
                                        {"end", {0, -1, Wait{1}}, true}};
  experiment.workload.what = std::move(program);
  return experiment;
}

}  // namespace

// A ring of 8 sends 2 x 7/8 x 8 MB = 14 MB over each wire, 14 ms of 15: however fast, computing
// gains 1 ms, 6.7 %. Of 14 ms 10 are computed, 4 ms (26.7 %) are waited for.
TEST_CASE("a level that carries beside computing is named before more time of computing") {
  const Experiment experiment = beside(1, 10);
  const RunResult result = simulate(experiment);
  REQUIRE(result.finish == milliseconds(15));
  CHECK(result.bound == milliseconds(14));
  const TimePart& first = result.why.front();
  CHECK(first.level == "ring");
  CHECK(first.time == milliseconds(4));
  CHECK(binding_part(result) == &first);
  REQUIRE(result.why.size() == 2);
  CHECK(result.why[1].time == milliseconds(11));
  CHECK(result.why[1].knob ==
        "shorter compute times in workload.program; at most 6.7 % is gained, as ring carries for "
        "the rest of the time");
  CHECK(why_sentence(result, 200) ==
        "all_reduce on ring, 26.7 %, bound by bandwidth (ring carries for 93.3 % of the time, "
        "beside computing): more bandwidth on ring");
}

// 16 ms of which 14 are carried beside 13 of computing: 1 ms is waited for, and 2 are gained by
// computing that takes no time.
TEST_CASE("computing is named where it gains more than what is waited for") {
  const RunResult result = simulate(beside(2, 13));
  REQUIRE(result.finish == milliseconds(16));
  CHECK(binding_part(result) == nullptr);
  CHECK(result.why.front().part == "compute");
  CHECK(result.why.front().knob == "shorter compute times in workload.program");
}

// 14 ms each, one after the other: nothing goes on beside computing.
TEST_CASE("what is not beside computing leaves its knob as it is") {
  const RunResult result = simulate(beside(14, 0));
  REQUIRE(result.finish == milliseconds(28));
  CHECK(binding_part(result) == nullptr);
  for (const TimePart& part : result.why) CHECK(part.knob.find("at most") == std::string::npos);
}

}  // namespace orrery
