// One file in several variants, side by side. Two NPUs on a switch, whose links carry 1 GB/s with a
// latency of 1 us: a message of 1 MB takes 1 ms at 1 GB/s and 0.5 ms at 2 GB/s, and two links.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/cli/variants.h"
#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;

namespace {

const std::string message = R"(
platform: {topology: {levels: [{size: 2, bandwidth: 1 GB/s, latency: 1 us}]}}
system: {injection_latency: 0 s}
network: {backend: analytical}
workload:
  program:
    - {ranks: 0, operations: [{send: 1 MB, to: 1}]}
    - {ranks: 1, operations: [{receive: 1 MB, from: 0}]}
)";

std::vector<std::string> names_of(const std::vector<std::string>& options) {
  std::vector<std::string> names;
  for (const cli::Variant& variant : cli::variants_of(options)) names.push_back(variant.name);
  return names;
}

}  // namespace

TEST_CASE("variants are the product of what varies", "[cli]") {
  CHECK(names_of({}) == std::vector<std::string>{""});
  CHECK(names_of({"network.transport=tcp,roce", "network.switch.buffer=64 MB, 1 GB"}) ==
        std::vector<std::string>{"tcp, buffer 64 MB", "tcp, buffer 1 GB", "roce, buffer 64 MB",
                                 "roce, buffer 1 GB"});
  // "1f1b" could be a number with a unit: both get their key.
  CHECK(names_of({"training.schedule=1f1b,zb-h1"}) ==
        std::vector<std::string>{"schedule 1f1b", "schedule zb-h1"});
  CHECK(names_of({"a.sizes=[2, 4],[8]", "b.on=true,false"}).front() == "sizes [2, 4], on true");
  const auto three = cli::variants_of({"t={kind: roce, rto: 4 ms},{kind: uet},'a,b'"});
  REQUIRE(three.size() == 3);
  CHECK(three[0].overrides.front().text == "t={kind: roce, rto: 4 ms}");
}

TEST_CASE("what is wrong in --vary is said", "[cli]") {
  CHECK_THROWS_WITH(cli::variants_of({"tcp,roce"}),
                    Contains("--vary tcp,roce: error: this is not"));
  CHECK_THROWS_WITH(cli::variants_of({"a=1,,2"}), Contains("a value is empty"));
  CHECK_THROWS_WITH(cli::variants_of({"a=1,2,1"}), Contains("1 is there twice"));
  CHECK_THROWS_WITH(cli::variants_of({"a=1,2,3,4,5,6,7,8,9", "b=1,2,3,4,5,6,7,8"}),
                    Contains("this makes 72 systems") && Contains("docs/how-to/sweep.md"));
}

TEST_CASE("compare shows a column for each value", "[cli]") {
  const test::Files files;
  const std::string file = files.write("message.yaml", message);
  const std::string key = "platform.topology.levels.0.bandwidth";
  const test::Printed two =
      test::run_orrery({"compare", file, "--vary", key + "=1 GB/s,2 GB/s", "--format", "json"});
  REQUIRE(two.exit_code == 0);
  const auto systems = nlohmann::json::parse(two.out)["systems"];
  REQUIRE(systems.size() == 2);
  CHECK(systems[0]["name"] == "bandwidth 1 GB/s");
  CHECK(systems[0]["finish_ps"] == 1'002'000'000);
  CHECK(systems[1]["finish_ps"] == 502'000'000);
  CHECK_THAT(test::run_orrery({"compare", file, "--vary", key + "=1 GB/s,2 bananas"}).error,
             Contains("--vary " + key + "=2 bananas: error") && Contains("2 bananas"));
}
