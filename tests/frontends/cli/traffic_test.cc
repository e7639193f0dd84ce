// `orrery traffic` as a user calls it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/result_schema.h"
#include "tests/frontends/cli/command_under_test.h"
#include "tests/report/schema/schema_problems.h"

using namespace orrery;
using Catch::Contains;
using Catch::StartsWith;
using test::Printed;
namespace fs = std::filesystem;

namespace {

class Traffic : public test::Files {
 public:
  Traffic() { write("four.yaml", text("[[1 MB, 1]]")); }

  static std::string text(const std::string& sizes) {
    return R"(platform:
  topology:
    levels:
      - {name: fabric, kind: switch, size: 4, bandwidth: 100 Gb/s, latency: 0.5 us}
network: {backend: fluid}
traffic:
  flows: {sizes: )" +
           sizes + R"(, load: 0.3, for: 2 ms}
)";
  }

  Printed operator()(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"traffic", path("four.yaml")});
    return test::run_orrery(arguments);
  }
};

nlohmann::json json_of(const Printed& printed) {
  REQUIRE(printed.error == "");
  REQUIRE(printed.exit_code == 0);
  return nlohmann::json::parse(printed.out);
}

}  // namespace

TEST_CASE("a name stands for the sizes of flows, with their keys beside it", "[cli][traffic]") {
  const Traffic traffic;
  std::string text = Traffic::text("websearch");
  const std::string written = "flows: {sizes: websearch, load: 0.3, for: 2 ms}";
  const std::size_t at = text.find(written);
  REQUIRE(at != std::string::npos);
  const std::string shortened =
      text.replace(at, written.size(), "flows: websearch\n  load: 0.3\n  for: 2 ms");
  const std::string file = traffic.write("short.yaml", shortened);
  const std::string long_form = traffic.write("long.yaml", Traffic::text("websearch"));
  const auto result = [](const std::string& of) {
    return json_of(test::run_orrery({"traffic", of, "--format", "json"}));
  };
  CHECK(result(file)["fingerprint"] == result(long_form)["fingerprint"]);
}

// 0.3 of 4 x 12.5 GB/s for 2 ms are 30 flows of 1 MB, give or take 5.5. Alone each takes
// 1 us + 80 us, and never less.
TEST_CASE("traffic reports completion times and slowdowns", "[cli][traffic]") {
  const Traffic traffic;
  const nlohmann::json result = json_of(traffic({"--format", "json"}));
  CHECK(test::schema_problems(nlohmann::json::parse(traffic_schema()), result).empty());
  CHECK(result["started"] > 12);
  CHECK(result["started"] < 48);
  CHECK(result["for_ps"] == 2'000'000'000);
  CHECK(result["warm_up_ps"] == 200'000'000);
  CHECK(result["load_hosts"] == 0.3);
  CHECK(result["load_uplinks"].is_null());
  CHECK(result["unfinished"] == 0);
  const nlohmann::json& row = result["rows"][0];
  CHECK(row["flows"] == "to 1 MB");
  CHECK(row["p50_ps"] >= 81'000'000);
  CHECK(row["slowdown_p50"] >= 0.99999);
  CHECK(result["rows"].size() == 2);  // and all
  CHECK(result["fingerprint"] == json_of(traffic({"--format", "json"}))["fingerprint"]);
  CHECK(result["fingerprint"] !=
        json_of(traffic({"--format", "json", "--seed", "2"}))["fingerprint"]);
}

TEST_CASE("traffic prints a table, or CSV", "[cli][traffic]") {
  const Traffic traffic;
  const Printed text = traffic({});
  CHECK_THAT(text.out, StartsWith("four on the fluid backend\n"));
  CHECK_THAT(text.out, Contains("slowdown"));
  CHECK_THAT(
      traffic({"--format", "csv"}).out,
      StartsWith("flows,above_bytes,most_bytes,count,mean_ps,p50_ps,p95_ps,p99_ps,"
                 "slowdown_mean,slowdown_p50,slowdown_p95,slowdown_p99\nto 1 MB,0,1000000,"));
}

TEST_CASE("traffic writes its files", "[cli][traffic]") {
  const Traffic traffic;
  const fs::path folder = traffic.path("out");
  CHECK(traffic({"-o", folder.string(), "--flows"}).exit_code == 0);
  for (const char* name : {"traffic.json", "traffic.csv", "flows.csv", "fct.txt"})
    CHECK(fs::exists(folder / name));
  CHECK(traffic({"-o", folder.string()}).exit_code == 3);
  CHECK(traffic({"-o", folder.string(), "--force"}).exit_code == 0);
  CHECK_FALSE(fs::exists(folder / "fct.txt"));  // it would contradict the new table
}

TEST_CASE("traffic says what is wrong with its keys", "[cli][traffic]") {
  Traffic traffic;
  const auto error_of = [&](const std::string& sizes) {
    traffic.write("four.yaml", Traffic::text(sizes));
    const Printed printed = traffic({});
    CHECK(printed.exit_code == 2);
    return printed.error;
  };
  CHECK_THAT(error_of("websarch"), Contains("did you mean \"websearch\""));
  CHECK_THAT(error_of("1 furlong"), Contains("four.yaml:7:18"));
  CHECK_THAT(error_of("[[1 MB, 0.5]]"), Contains("the shares end at 0.5"));
  CHECK_THAT(error_of("[1 MB]"), Contains("write [bytes, cumulative share]"));
  CHECK_THAT(error_of("[[1 kB, 0.5], [1 furlong, 1]]"), Contains("four.yaml:7"));
  CHECK_THAT(error_of("[[10000, 1]], warm_up: 3 ms"), Contains("no flow starts after it"));
}

TEST_CASE("one size for all flows needs no list", "[cli][traffic]") {
  Traffic traffic;
  const std::string as_list = json_of(traffic({"--format", "json"}))["fingerprint"];
  traffic.write("four.yaml", Traffic::text("1 MB"));
  CHECK(json_of(traffic({"--format", "json"}))["fingerprint"] == as_list);
}

// 0.3 of 4 x 12.5 GB/s are 15 GB/s, 15,000 flows of 1 MB a second: 10,000 in 670 ms.
TEST_CASE("explain shows what is chosen for flows, validate accepts them", "[cli][traffic]") {
  Traffic traffic;
  traffic.write("short.yaml", R"(platform:
  topology:
    levels: [{kind: switch, size: 4, bandwidth: 100 Gb/s, latency: 0.5 us}]
traffic: {flows: {sizes: 1 MB, load: 0.3}}
)");
  const Printed explained = test::run_orrery({"explain", traffic.path("short.yaml")});
  CHECK(explained.error == "");
  CHECK_THAT(explained.out, Contains("traffic.flows.for") && Contains("670 ms") &&
                                Contains("67 ms") && Contains("about 10050"));
  CHECK_THAT(explained.out, Contains("fluid"));
  CHECK_THAT(explained.out, !Contains("least time"));
  CHECK(test::run_orrery({"validate", traffic.path("short.yaml")}).exit_code == 0);
  CHECK(test::run_orrery({"validate", traffic.path("short.yaml"), "--set", "traffic.flows.load=0"})
            .exit_code == 2);
}

// What a newcomer writes, and what the message tells him to add.
TEST_CASE("an incast has usual senders, size and load", "[cli][traffic]") {
  Traffic traffic;
  const std::string platform =
      "platform: {topology: {levels: [{kind: switch, size: 16, bandwidth: 100 Gb/s, latency: 0.5 "
      "us}]}}\n";
  const std::string alone = traffic.write("alone.yaml", platform + "traffic: {incast}\n");
  const Printed refused = test::run_orrery({"traffic", alone});
  CHECK(refused.exit_code == 2);
  const std::string remedy = "flows: {sizes: websearch, load: 0.5}";
  CHECK_THAT(refused.error, Contains("such as " + remedy) && !Contains("incast."));
  const std::string file =
      traffic.write("both.yaml", platform + "traffic: {incast, " + remedy + "}\n");
  CHECK(test::run_orrery({"validate", file}).exit_code == 0);
  const Printed text = test::run_orrery({"explain", file});
  CHECK_THAT(text.out, Contains("traffic.incast.senders") && Contains("500 kB"));
}

// The slowdown of flows that share links rises with the load.
TEST_CASE("a sweep varies the load of flows", "[cli][traffic]") {
  Traffic traffic;
  traffic.write("sweep.yaml", R"(experiments: four.yaml
vary: [{traffic.flows.load: [0.1, 0.6]}]
)");
  const std::vector<std::string> command = {
      "sweep", traffic.path("sweep.yaml"), "-o", traffic.path("out"), "--format", "csv"};
  const Printed first = test::run_orrery(command);
  CHECK(first.exit_code == 0);
  std::vector<std::vector<std::string>> lines;
  std::istringstream text(first.out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    lines.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) lines.back().push_back(cell);
  }
  REQUIRE(lines.size() == 3);
  const auto column =
      static_cast<std::size_t>(std::ranges::find(lines[0], "slowdown_mean") - lines[0].begin());
  REQUIRE(column < lines[0].size());
  CHECK(std::stod(lines[1].at(column)) >= 0.99999);
  CHECK(std::stod(lines[2].at(column)) > std::stod(lines[1].at(column)));
  CHECK(test::run_orrery(command).out == first.out);  // nothing is simulated again
  const Printed table =
      test::run_orrery({"sweep", traffic.path("sweep.yaml"), "-o", traffic.path("out")});
  CHECK_THAT(table.out, Contains("2 of 2 points") && Contains("slowdown"));
}

TEST_CASE("compare shows files with flows side by side", "[cli][traffic]") {
  Traffic traffic;
  traffic.write("eight.yaml", Traffic::text("8 MB"));
  const std::vector<std::string> command = {"compare", traffic.path("four.yaml"),
                                            traffic.path("eight.yaml")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return test::run_orrery(more);
  };
  const Printed text = with({});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("four\n") || Contains("four "));
  CHECK_THAT(text.out, Contains("to 1 MB") && Contains("to 8 MB"));
  CHECK_THAT(with({"--format", "csv"}).out, StartsWith("experiment,flows,") &&
                                                Contains("\nfour,to 1 MB,") &&
                                                Contains("\neight,to 8 MB,"));
  const nlohmann::json json = json_of(with({"--format", "json"}));
  CHECK(json["systems"].size() == 2);
  CHECK(json["systems"][0]["fingerprint"] == json_of(traffic({"--format", "json"}))["fingerprint"]);
  traffic.write("job.yaml", R"(platform:
  topology: {levels: [{kind: switch, size: 4, bandwidth: 100 Gb/s, latency: 0.5 us}]}
workload: {program: [{operations: [{all_reduce: 1 MB}]}]}
)");
  const Printed mixed =
      test::run_orrery({"compare", traffic.path("four.yaml"), traffic.path("job.yaml")});
  CHECK(mixed.exit_code == 2);
  CHECK_THAT(mixed.error, Contains("job.yaml"));
}

TEST_CASE("run names the command for a file with flows", "[cli][traffic]") {
  const Traffic traffic;
  const Printed printed = test::run_orrery({"run", traffic.path("four.yaml")});
  CHECK(printed.exit_code == 2);
  CHECK_THAT(printed.error, Contains("four.yaml:6") && Contains("orrery traffic"));
}
