// The order of events of one picosecond, as a user asks for it. Two servers of two NPUs, whose NICs
// are joined at 1 GB/s. In the same picosecond rank 0 sends 10 MB to rank 2 and rank 1 1 MB to
// rank 3, which then computes. The NIC takes one after the other, and both are through after 11 ms
// and four links of 1 us. If the large message goes first, rank 3 has its own then and finishes
// last; if the small one does, rank 3 has it after 1 ms.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;
using test::Files;
using test::Printed;

namespace {

std::string two_messages(const std::string& name, const std::string& compute) {
  return "name: " + name + R"(
platform:
  topology:
    rail:
      nodes: 2
      bandwidth: 1 GB/s
      latency: 1 us
      node:
        {npus: 2, bandwidth: 100 GB/s, latency: 1 us,
         nics: 1, bus_bandwidth: 100 GB/s, bus_latency: 1 us}
system: {injection_latency: 0 s}
workload:
  program:
    - {ranks: 0, operations: [{send: 10 MB, to: 2}]}
    - {ranks: 1, operations: [{send: 1 MB, to: 3}]}
    - {ranks: 2, operations: [{receive: 10 MB, from: 0}]}
    - ranks: 3
      operations: [{receive: 1 MB, from: 1}, {compute: )" +
         compute + "}]\n";
}

constexpr std::int64_t both = 11'004'000'000;  // ps

}  // namespace

TEST_CASE("run shows the range over orders of simultaneous events", "[cli]") {
  const Files files;
  const std::string file = files.write("ties.yaml", two_messages("ties", "5 ms"));
  const Printed run = test::run_orrery({"run", file, "--ties", "8", "--format", "json"});
  REQUIRE(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["finish_ps"] == both + 5'000'000'000);  // in the order of the calls
  CHECK(json["ties"]["orders"] == 8);
  CHECK(json["ties"]["least_ps"] == both);
  CHECK(json["ties"]["most_ps"] == both + 5'000'000'000);
  CHECK(nlohmann::json::parse(test::run_orrery({"run", file, "--format", "json"}).out)
            .count("ties") == 0);
  CHECK_THAT(test::run_orrery({"run", file, "--ties", "8"}).out,
             Contains("over 8 orders of events of one picosecond"));
}

TEST_CASE("ties: seed draws an order that belongs to the seed", "[cli]") {
  const Files files;
  const std::string file = files.write("ties.yaml", two_messages("ties", "5 ms"));
  int late = 0;
  for (int seed = 1; seed <= 16; ++seed) {
    const std::vector<std::string> command = {
        "run", file, "--set", "ties=seed", "--seed", std::to_string(seed), "--format", "json"};
    const auto json = nlohmann::json::parse(test::run_orrery(command).out);
    CHECK(json["finish_ps"] == nlohmann::json::parse(test::run_orrery(command).out)["finish_ps"]);
    late += json["finish_ps"] == both ? 0 : 1;
  }
  CHECK(late > 0);
  CHECK(late < 16);
}

// Ranges of finish: 11 to 16 ms, 11 to 15 ms, 51 to 61 ms.
TEST_CASE("compare calls nothing a difference that the order of events decides", "[cli]") {
  const Files files;
  const std::string five = files.write("five.yaml", two_messages("five", "5 ms"));
  const std::string four = files.write("four.yaml", two_messages("four", "4 ms"));
  const std::string fifty = files.write("fifty.yaml", two_messages("fifty", "50 ms"));
  const Printed compared = test::run_orrery({"compare", five, four, fifty, "--ties", "8"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.out, Contains("five: no difference from the fastest") &&
                               Contains("fifty: slower than the fastest in every order"));
  CHECK(compared.error == "");
  const auto json = nlohmann::json::parse(
      test::run_orrery({"compare", five, four, fifty, "--ties", "8", "--format", "json"}).out);
  CHECK(json["systems"][0]["as_fast"] == true);
  CHECK(json["systems"][1].count("as_fast") == 0);  // the fastest itself
  CHECK(json["systems"][2]["as_fast"] == false);
  // 16.004 : 15.004 is 1.07: a notice.
  CHECK_THAT(test::run_orrery({"compare", five, four}).error, Contains("--ties 5"));
  CHECK(test::run_orrery({"compare", four, fifty}).error == "");
}

// Eight ranks that do the same fold, unless the order of events is drawn.
TEST_CASE("nothing is folded where the order of events is drawn", "[cli]") {
  const Files files;
  const std::string file = files.write("ring.yaml", R"(name: ring
platform:
  topology: {levels: [{name: fabric, kind: ring, size: 8, bandwidth: 1 GB/s, latency: 1 us}]}
workload: {program: [{operations: [{all_reduce: 1 MiB}]}]}
)");
  Experiment experiment = load_experiment(file, {});
  CHECK(simulate(experiment).folded);
  experiment.ties = Ties::seed;
  const RunResult drawn = simulate(experiment);
  CHECK_FALSE(drawn.folded);
  CHECK(drawn.unfolded_because == "events of one picosecond are in a random order");
  CHECK(why_not_folded(experiment) == drawn.unfolded_because);
}
