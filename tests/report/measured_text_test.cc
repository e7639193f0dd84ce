// What a measured time says of a simulated one.
#include "report/measured_text.h"

#include <catch2/catch.hpp>

#include "tests/report/sample_result.h"

namespace orrery {
namespace {

using Catch::Contains;

// 100 us, 80 of them computing. At the peak the operations take 60: computing alone explains no
// less than 80 us of the whole, and nothing at all 50.
TEST_CASE("computing explains no more than the peak allows") {
  RunResult result = test::sample();
  result.finish = microseconds(100) * iteration_count(result);
  result.why = {
      test::part("compute", "", Duration{result.finish.value / 5 * 4}, BoundBy::compute_rate, ""),
      test::part("EP", "node", Duration{result.finish.value / 5}, BoundBy::bandwidth, "")};
  result.training.emplace().stages.emplace_back();
  result.training->utilisation = {{"executed", 0, 0, 0.6}};
  REQUIRE(iteration_time(result) == microseconds(100));
  CHECK_THAT(measured_text(result, microseconds(80)), Contains("60 us       0.75"));
  const std::string faster = measured_text(result, microseconds(79));
  CHECK_THAT(faster, !Contains("59 us") && Contains("Perhaps the file says less"));
  CHECK_THAT(faster, !Contains("overlap_tensor") && !Contains("overlap_parameters") &&
                         !Contains("no recomputation"));
  const std::string impossible = measured_text(result, microseconds(59));
  CHECK_THAT(impossible, Contains("The operations that were simulated take 60 us at the peak"));
  CHECK_THAT(impossible, !Contains("Perhaps"));
  result.why.push_back(test::part("TP", "node", microseconds(1), BoundBy::bandwidth, ""));
  CHECK_THAT(measured_text(result, microseconds(79)), Contains("overlap_tensor"));
}

// Of 100 us a link is busy for 90: no run that sends these bytes over it takes 85, however fast it
// computes, and one that takes 95 may.
TEST_CASE("computing explains no time that is shorter than the bytes of a level take") {
  RunResult result = test::sample();
  result.finish = microseconds(100) * iteration_count(result);
  result.bound = microseconds(90) * iteration_count(result);
  result.bound_by = "fabric";
  result.training.reset();
  result.why = {
      test::part("compute", "", Duration{result.finish.value / 2}, BoundBy::compute_rate, ""),
      test::part("DP", "fabric", Duration{result.finish.value / 2}, BoundBy::bandwidth, "")};
  const std::string faster = measured_text(result, microseconds(85));
  CHECK_THAT(faster, Contains("the bytes of an iteration take 90 us on fabric alone"));
  CHECK_THAT(faster, Contains("not alone") && Contains("35 us"));  // DP's 50 less 15
  CHECK_THAT(faster, !Contains("overlap_parameters"));
  result.provenance.configuration = {{"workload.training.sharding", "zero1"},
                                     {"workload.training.overlap_parameters", "false"}};
  CHECK_THAT(measured_text(result, microseconds(85)), Contains("overlap_parameters"));
  result.provenance.configuration.front().value = "zero3";
  CHECK_THAT(measured_text(result, microseconds(85)), !Contains("overlap_parameters"));
  const std::string possible = measured_text(result, microseconds(95));
  CHECK_THAT(possible, !Contains("No compute rate") && Contains("45 us   0.90"));
}

// 30 us are missing. EP's 20 would be 50, 2.5 times as long, and TP's 3 would be 33, 11 times: that
// explains nothing.
TEST_CASE("parts that would have to be more than ten times as long are only counted") {
  RunResult result = test::sample();
  result.finish = microseconds(100) * iteration_count(result);
  const std::int64_t iterations = iteration_count(result);
  result.why = {test::part("EP", "node", microseconds(20) * iterations, BoundBy::bandwidth, ""),
                test::part("TP", "node", microseconds(3) * iterations, BoundBy::bandwidth, "")};
  const std::string text = measured_text(result, microseconds(130));
  CHECK_THAT(text, Contains("50 us") && Contains("2.50") && !Contains("33 us"));
  CHECK_THAT(text, Contains("1 more would have to be more than 10 times as long."));
}

}  // namespace
}  // namespace orrery
