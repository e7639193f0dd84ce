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

}  // namespace
}  // namespace orrery
