#include "report/json_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/report/sample_result.h"

using namespace orrery;
using nlohmann::ordered_json;

TEST_CASE("the JSON of a run has the fields of docs/results.md, in its order", "[report]") {
  const ordered_json json = ordered_json::parse(run_json(test::sample(), {}));
  std::string keys;
  for (const auto& item : json.items()) keys += item.key() + ' ';
  CHECK(keys ==
        "schema name backend backend_because ignored in_packets network_chosen parallelism_chosen "
        "efficiency efficiency_because efficiency_error protocols protocols_because "
        "protocols_error seed "
        "fingerprint partial partial_reason iterations iteration_ps "
        "finish_ps compute_ps exposed_ps idle_ps stolen_ps endpoint exposed_by bound_ps bound_by "
        "why layers selected levels links "
        "link_count bottlenecks ranks folded unfolded_because events messages notices provenance "
        "host ");
  CHECK(json["schema"] == "orrery.run/1");
  CHECK(json["seed"] == 7);
  CHECK(json["partial"] == false);
  CHECK(json["partial_reason"].is_null());
  CHECK(json["finish_ps"] == 100'000'000);
  CHECK(json["iteration_ps"] == 50'000'000);
  CHECK(json["exposed_by"] ==
        ordered_json({{"all_reduce", 30'000'000}, {"all_to_all forward", 20'000'000}}));
  CHECK(json["layers"].size() == 6);
  CHECK(json["layers"][0].dump() ==
        R"({"name":"emb","iteration":1,"pass":"forward","compute_ps":0,"raw_ps":12000000,)"
        R"("raw_max_ps":12000000,"raw_bound_ps":6000000,"exposed_ps":10000000,"bytes":4000,)"
        R"("collective":"all_to_all","ranks":2,"algorithms":"ring"})");
  CHECK(json["layers"][1]["collective"].is_null());
  CHECK(json["levels"][0].dump() ==
        R"({"name":"fabric","collective":"all_reduce","bytes":4000000})");
  CHECK(json["ranks"][1].dump() ==
        R"({"rank":1,"multiplicity":1,"finish_ps":90000000,"compute_ps":40000000,)"
        R"("exposed_ps":50000000,"idle_ps":0,"stolen_ps":0})");
  CHECK(json["host"].dump() == R"({"wall_s":0.5,"cpu_s":0.25,"peak_rss_bytes":3000000})");
}

TEST_CASE("times are exact integers, however large", "[report]") {
  RunResult result = test::sample();
  result.finish = {INT64_MAX};
  CHECK_THAT(run_json(result, {}), Catch::Contains("\"finish_ps\": 9223372036854775807,"));
}

TEST_CASE("links are cut to the busiest ten, and counted", "[report]") {
  RunResult result = test::sample();
  result.links.assign(12, {"npu 0", "npu 1", "fabric", bytes(1), 0});
  const ordered_json few = ordered_json::parse(run_json(result, {}));
  CHECK(few["links"].size() == 10);
  CHECK(few["link_count"] == 12);
  CHECK(ordered_json::parse(run_json(result, {.all_links = true}))["links"].size() == 12);
}

TEST_CASE("the JSON of a comparison lists the systems with their ratios", "[report]") {
  std::vector<RunResult> results{test::sample(), test::faster_sample(), test::sample()};
  results[2].partial = true;
  const ordered_json json = ordered_json::parse(comparison_json(results, {}));
  CHECK(json["schema"] == "orrery.compare/1");
  REQUIRE(json["systems"].size() == 3);
  CHECK(json["systems"][0]["name"] == "Ring");
  CHECK(json["systems"][0]["ratio_to_fastest"] == 50.0 / 37.5);
  CHECK(json["systems"][1]["ratio_to_fastest"] == 1.0);
  CHECK(json["systems"][2]["ratio_to_fastest"].is_null());
  CHECK(json["systems"][2]["iteration_ps"].is_null());
}

TEST_CASE("a name that is no UTF-8 does not lose the results", "[report]") {
  RunResult result = test::sample();
  result.name = "caf\xE9";
  CHECK(ordered_json::parse(run_json(result, {}))["name"] == "caf\xEF\xBF\xBD");
}
