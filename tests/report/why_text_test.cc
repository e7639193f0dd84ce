#include "report/why_text.h"

#include <catch2/catch.hpp>

#include "tests/report/sample_result.h"

namespace orrery {
namespace {

// Computing takes 40 %, exchanges of experts 28 % and 17 %: more in all, as the bar shows.
TEST_CASE("what is said first is what takes most in all") {
  RunResult result = test::sample();
  result.why = {test::part("compute", "", microseconds(40), BoundBy::compute_rate, "a faster one"),
                test::part("EP", "", microseconds(28), BoundBy::late_ranks, "equal experts"),
                test::part("EP", "node", microseconds(17), BoundBy::latency, "less latency")};
  CHECK(why_sentence(result, 70) ==
        "EP, 45.0 % (28.0 points of it), bound by late ranks: equal experts");
  CHECK_THAT(why_sentence(result, 200),
             Catch::EndsWith("; next EP on node, 17.0 %, bound by latency (90.0 % of it)"));
  result.why[1].part = "EP forward";  // passes are one kind
  result.why[2].part = "EP backward";
  CHECK_THAT(why_sentence(result, 70), Catch::StartsWith("EP, 45.0 % ("));
  result.why[2].part = "TP";
  CHECK_THAT(why_sentence(result, 70), Catch::StartsWith("compute, 40.0 %; "));
}

// Of both as much as there is room for, the larger one first.
TEST_CASE("what waits for longest keeps its bound and its knob before the next one has any") {
  RunResult result = test::sample();
  result.why = {test::part("DP", "unit", microseconds(90), BoundBy::bandwidth, "more of it"),
                test::part("TP", "node", microseconds(10), BoundBy::bandwidth, "more of that")};
  result.why[0].rest = result.why[1].rest = {};
  const std::string first = why_sentence(result, 0), next = "; next TP on node, 10.0 %";
  CHECK_THAT(first, Catch::StartsWith("DP on unit, 90.0 %, bound by bandwidth (") &&
                        Catch::EndsWith("): more of it"));
  CHECK(why_sentence(result, first.size() + next.size()) == first + next);
  const std::string bound = first.substr(0, first.find(": more"));
  CHECK(why_sentence(result, bound.size() + next.size()) == bound + next);
  CHECK(why_sentence(result, bound.size() + next.size() - 1) == first);
  CHECK_THAT(why_sentence(result, 200), Catch::StartsWith(first + next + ", bound by bandwidth ("));
}

// A level takes 5.1 ms and another one 5.3 of 5.6 ms: whatever is counted first has nearly all.
TEST_CASE("levels that carry side by side are named together") {
  RunResult result = test::sample();
  result.why = {test::part("DP", "node", microseconds(80), BoundBy::bandwidth, "more of both"),
                test::part("DP", "leaf", microseconds(9), BoundBy::bandwidth, "more of both"),
                test::part("TP", "node", microseconds(10), BoundBy::bandwidth, "more of that")};
  for (TimePart& part : result.why) part.rest = {};
  result.why[0].beside = "leaf";
  result.why[1].beside = "node";
  CHECK_THAT(why_sentence(result, 0), Catch::StartsWith("DP on node and leaf, 89.0 %, bound by "
                                                        "bandwidth (") &&
                                          Catch::EndsWith("): more of both"));
  CHECK_THAT(why_sentence(result, 300), Catch::Contains(": more of both; next TP on node, 10.0 %"));
}

// What would be bought is left out for what comes next. A setting is not.
TEST_CASE("a setting that shortens what is waited for stays beside what comes next") {
  RunResult result = test::sample();
  const std::string setting = "training.dispatch: by_node";
  result.why = {test::part("EP", "unit", microseconds(90), BoundBy::bandwidth,
                           setting + ", or more bandwidth on unit"),
                test::part("TP", "node", microseconds(10), BoundBy::bandwidth, "more of that")};
  result.why[0].rest = result.why[1].rest = {};
  const std::string first = why_sentence(result, 0), next = "; next TP on node, 10.0 %";
  CHECK_THAT(first, Catch::EndsWith("): " + setting));
  CHECK(why_sentence(result, first.size() + next.size()) == first + next);
  CHECK(why_sentence(result, first.size() + next.size() - 1) == first);
}

// Setting comes before buying.
TEST_CASE("a setting that shortens the computing is named beside what comes next") {
  RunResult result = test::sample();
  result.why = {test::part("compute", "", microseconds(80), BoundBy::compute_rate,
                           "training.recompute: none, or a faster processor (npu.peak)"),
                test::part("bubble", "", microseconds(20), BoundBy::schedule, "more")};
  CHECK(why_sentence(result, 120) ==
        "compute, 80.0 %, bound by compute rate: training.recompute: none; next bubble, 20.0 %, "
        "bound by pipeline schedule");
}

}  // namespace
}  // namespace orrery
