// Numbers of results by their paths: which exist, what they are, and what is said of others.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/result_path.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("a path leads to a number of a result") {
  const Json result = Json::parse(R"({
    "training": {"samples_per_s": 2.5,
                 "utilisation": [{"convention": "model", "utilisation": 0.4}]},
    "exposed_by": {"all_reduce": 7, "send.receive": 3},
    "why": [{"part": "TP", "level": "node", "time_ps": 4},
            {"part": "TP", "level": "rail", "time_ps": 5},
            {"part": "DP", "level": "rail", "time_ps": 6}],
    "layers": [{"name": "layers.0.mlp", "exposed_ps": 11}, {"name": "layers.0", "exposed_ps": 1}],
    "levels": [{"name": "rail", "bytes": "18446744073709551616"}],
    "ranks": [{"rank": 0, "finish_ps": 9007199254740993}],
    "packets": null})");
  const auto number = [&](const char* path) {
    REQUIRE_FALSE(problem_of_path(path));
    return number_at(result, path).value_or("none");
  };
  CHECK(number("training.samples_per_s") == "2.5");
  CHECK(number("training.utilisation.model.utilisation") == "0.4");
  CHECK(number("exposed_by.all_reduce") == "7");
  CHECK(number("exposed_by.send.receive") == "3");  // names may have dots
  CHECK(number("why.TP.time_ps") == "9");           // 4 + 5, of both levels
  CHECK(number("why.PP.time_ps") == "none");
  CHECK(number("layers.layers.0.mlp.exposed_ps") == "11");
  CHECK(number("layers.layers.0.exposed_ps") == "1");
  CHECK(number("ranks.0.finish_ps") == "9007199254740993");  // 2^53 + 1: not by way of a double
  CHECK(Json::parse(number("levels.rail.bytes")).get<double>() == 18446744073709551616.0);
  CHECK(number("packets.drops") == "none");
  CHECK(unit_of_path("exposed_by.all_reduce") == "ps");
  CHECK(unit_of_path("levels.rail.bytes") == "bytes");
  CHECK(unit_of_path("training.samples_per_s").empty());
}

TEST_CASE("a path that no result can have is refused with what there is") {
  const auto problem = [](const char* path) {
    const auto found = problem_of_path(path);
    return found ? found->what + ": " + found->remedy : "";
  };
  using Catch::Contains;
  CHECK_THAT(problem("trainig.samples_per_s"), Contains("did you mean \"training\""));
  CHECK_THAT(problem("why.TP.time"), Contains("no \"time\"") && Contains("time_ps"));
  CHECK_THAT(problem("backend"), Contains("no number"));
  CHECK_THAT(problem("finish_ps.all"), Contains("nothing is below it"));
  CHECK_THAT(problem(""), Contains("there is no \"\""));
  CHECK(problem("rows.all.slowdown_p99").empty());  // of flows
}

}  // namespace
}  // namespace orrery
