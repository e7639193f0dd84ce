// `orrery coll` as a user calls it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;
using Catch::StartsWith;
using test::Printed;
namespace fs = std::filesystem;

namespace {

// On four.yaml.
class Coll : public test::Files {
 public:
  Coll() {
    write("four.yaml", R"(platform:
  topology:
    levels:
      - {name: fabric, kind: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}
system: {injection_latency: 0 us, local_injection_latency: 0 us, chunks: 1}
)");
  }

  Printed operator()(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"coll", "--platform", path("four.yaml")});
    return test::run_orrery(arguments);
  }
};

nlohmann::json rows_of(const Printed& printed) {
  REQUIRE(printed.error == "");
  REQUIRE(printed.exit_code == 0);
  return nlohmann::json::parse(printed.out)["rows"];
}

}  // namespace

// A ring of 4 on a switch: 2 * 3 steps of one piece, 1 kB at 1 GB/s = 1 us, over two links of 1 us:
// 6 * 3 = 18 us. Direct: 2 steps, each three pieces through one port and two links: 2 * (3 + 2)
// = 10.
TEST_CASE("coll has no workload that could be set") {
  const Printed printed = Coll()({"--op", "all_reduce", "--set", "workload.skew=1 us"});
  CHECK(printed.exit_code == 2);
  CHECK_THAT(printed.error, Contains("coll has no workload") && Contains("run a file with it"));
}

TEST_CASE("coll prints a table for each algorithm", "[cli][coll]") {
  const Coll coll;
  const Printed printed = coll({"--size", "4 kB", "--algorithm", "ring,direct"});
  CHECK(printed.error == "");
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, StartsWith("# all_reduce on four: 4 ranks, algorithm ring, 1 chunk, "
                                     "analytical backend\n"));
  CHECK_THAT(printed.out, Contains("4000       1000  float   sum   -1    18.00   0.22"));
  CHECK_THAT(printed.out, Contains("4000       1000  float   sum   -1    10.00   0.40"));
}

// Without latency every algorithm moves S/n 2(n-1) (all-reduce) or n-1 (the others) times through
// its port, so that busbw is the bandwidth of the link, whatever the operation.
TEST_CASE("busbw is the bandwidth of the link where nothing else costs", "[cli][coll]") {
  const Coll coll;
  for (const std::string operation : {"all_reduce", "reduce_scatter", "all_gather", "all_to_all"}) {
    INFO(operation);
    const auto rows =
        rows_of(coll({"--op", operation, "--size", "4 MB", "--algorithm", "ring,direct", "--set",
                      "platform.topology.levels[0].latency=0 us", "--format", "json"}));
    REQUIRE(rows.size() == 2);
    // A ring passes an all-to-all on: (n-1) n / 2 pieces = 6 instead of 3 leave each port.
    const double ring = operation == "all_to_all" ? 0.5 : 1.0;
    CHECK(rows[0]["busbw_GBps"].get<double>() == Approx(ring).epsilon(1e-6));
    CHECK(rows[1]["busbw_GBps"].get<double>() == Approx(1.0).epsilon(1e-6));
  }
}

// A row of 4 MB to 4 ranks; with a skew of 5 the first one gets 5/8 of each row: three times 2.5 MB
// through its port of 1 GB/s, instead of 1 MB from each of three. busbw is that of the mean:
// 4 MB / 7.5 ms * 3/4.
TEST_CASE("the skew of an all-to-allv is at the port of the first rank", "[cli][coll]") {
  const Coll coll;
  const auto busbw = [&](const std::string& skew) {
    const auto rows =
        rows_of(coll({"--op", "all_to_allv", "--size", "4 MB", "--skew", skew, "--set",
                      "platform.topology.levels[0].latency=0 us", "--format", "json"}));
    return rows[0]["busbw_GBps"].get<double>();
  };
  CHECK(busbw("1") == Approx(1.0).epsilon(1e-6));
  CHECK(busbw("5") == Approx(4 / 7.5 * 0.75).epsilon(1e-6));
  const Printed wrong = coll({"--op", "all_to_all", "--skew", "2"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.error, Contains("--op all_to_allv"));
}

// algbw of a large ring all-reduce is bandwidth * n / (2 (n-1)): 1 and 3/4 of the 370.8 GB/s that
// NCCL reaches of an NVLink of H100. Of four ranks that would be 247.2 GB/s: the switch adds
// (NVLS), and the buffer passes a port at 275 GB/s.
TEST_CASE("plateaus of 2, 3 and 4 ranks are those of two rings and of the switch", "[cli][coll]") {
  std::vector<double> plateaus;
  for (const char* ranks : {"2", "3", "4"}) {
    std::ostringstream out, error;
    cli::run_command_line({"coll", "--platform", "dgx-h100", "--ranks", ranks, "--size", "8G",
                           "--algorithm", "ring", "--format", "json"},
                          {"1.2.3", "abc"}, {out, error});
    REQUIRE(error.str() == "");
    plateaus.push_back(nlohmann::json::parse(out.str())["rows"][0]["algbw_GBps"]);
  }
  CHECK(plateaus[0] == Approx(370.8).epsilon(0.001));
  CHECK(plateaus[1] / plateaus[0] == Approx(0.75).epsilon(0.001));
  CHECK(plateaus[2] == Approx(275).epsilon(0.002));
}

TEST_CASE("coll takes the platform's own algorithms, and one for each level", "[cli][coll]") {
  const Coll coll;
  coll.write("four.yaml", R"(platform:
  topology:
    levels:
      - {kind: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}
      - {kind: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}
system: {algorithms: [direct, ring], chunks: 5}
)");
  auto rows = rows_of(coll({"--size", "8", "--format", "json"}));
  CHECK(rows[0]["algorithm"] == "direct+ring");
  CHECK(rows[0]["chunks"] == 5);
  CHECK(rows[0]["ranks"] == 6);
  rows = rows_of(coll({"--size", "8", "--algorithm", "ring+direct,ring,direct+direct", "--chunks",
                       "2", "--format", "json"}));
  CHECK(rows[0]["algorithm"] == "ring+direct");
  CHECK(rows[1]["algorithm"] == "ring");
  CHECK(rows[2]["algorithm"] == "direct");
  CHECK(rows[2]["chunks"] == 2);
}

// Simulated: 18 us; of the 30 us measured the benchmark took 10, so 20 are left: 10 % too fast.
TEST_CASE("--overhead is not the network's", "[cli][coll]") {
  const Coll coll;
  const std::string file = coll.write("measured.csv", "bytes,time_us\n4000,30\n");
  const auto with = [&](const std::string& overhead) {
    return coll({"--algorithm", "ring", "--measured", file, "--overhead", overhead});
  };
  CHECK_THAT(with("10us").out, Contains("# Mean absolute error  : 10.0 %"));
  CHECK(with("30us").exit_code == 2);
  CHECK_THAT(with("30us").error, Contains("4 kB took 30 us only"));
  CHECK(with("long").exit_code == 2);
  const Printed alone = coll({"--overhead", "10us"});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.error, Contains("--measured FILE"));
}

// Simulated: 18 us, see above; measured: 20 us.
TEST_CASE("--measured gives the sizes and shows the error", "[cli][coll]") {
  const Coll coll;
  const std::string file = coll.write("measured.csv", "bytes,time_us\n4000,20\n");
  const Printed text = coll({"--algorithm", "ring", "--measured", file});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Contains("N/A     20.00     -10.0\n"));
  CHECK_THAT(text.out,
             Contains("# Mean absolute error  : 10.0 % of the measured time, over 1 size"));
  const auto rows = rows_of(
      coll({"--algorithm", "ring", "--measured", file, "--size", "4 kB,8 kB", "--format", "json"}));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["error"].get<double>() == Approx(-0.1));
  CHECK(rows[1]["error"].is_null());
}

TEST_CASE("coll reads the table that it prints", "[cli][coll]") {
  const Coll coll;
  const Printed once = coll({"--size", "4 kB,1 MB", "--algorithm", "ring"});
  const std::string file = coll.write("printed.txt", once.out);
  const auto rows = rows_of(coll({"--algorithm", "ring", "--measured", file, "--format", "json"}));
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) CHECK(std::abs(row["error"].get<double>()) < 1e-3);  // rounding
}

TEST_CASE("coll -o leaves coll.json and coll.csv and does not overwrite them", "[cli][coll]") {
  const Coll coll;
  const std::string folder = coll.path("out");
  CHECK(coll({"--size", "8", "-o", folder}).exit_code == 0);
  CHECK(fs::exists(folder + "/coll.json"));
  CHECK(fs::exists(folder + "/coll.csv"));
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}) == 2);
  const Printed again = coll({"--size", "8", "-o", folder});
  CHECK(again.exit_code == 3);
  CHECK_THAT(again.error, Contains("already holds a result (coll.json)"));
  CHECK(again.out == "");
  CHECK(coll({"--size", "8", "-o", folder, "--force"}).exit_code == 0);
}

TEST_CASE("sizes run beside each other give what they give alone", "[cli][coll]") {
  const Coll coll;
  const auto all = rows_of(coll({"--size", "8:1M:x4", "--algorithm", "ring", "--format", "json"}));
  for (const auto& row : all) {
    const auto alone = rows_of(coll({"--size", std::to_string(row["bytes"].get<std::int64_t>()),
                                     "--algorithm", "ring", "--format", "json"}));
    CHECK(alone[0] == row);
  }
}

TEST_CASE("mistakes in the options of coll are configuration errors", "[cli][coll]") {
  const Coll coll;
  const auto wrong = [&](std::vector<std::string> arguments, const std::string& message) {
    const Printed printed = coll(arguments);
    INFO(arguments.back());
    CHECK(printed.exit_code == 2);
    CHECK(printed.out == "");
    CHECK_THAT(printed.error, Contains(message));
  };
  wrong({"--op", "allreduce"}, "did you mean \"all_reduce\"?");
  wrong({"--size", "8M:4M"}, "write the smaller one first");
  wrong({"--algorithm", "rnig"}, "--algorithm rnig: error: system.all_reduce.algorithms: \"rnig\"");
  wrong({"--algorithm", "ring+ring"}, "2 algorithms for 1 level");
  wrong({"--op", "all_to_all", "--algorithm", "double_binary_tree"}, "these can: ");
  wrong({"--chunks", "0"}, "--chunks 0: error: system.all_reduce.chunks: \"0\" is out of range");
  wrong({"--ranks", "5"}, "--ranks 5: the platform has 4 NPUs");
  wrong({"--set", "system.chunk=1"}, "did you mean \"chunks\"?");
  wrong({"--measured", coll.write("no.txt", "hello\n")},
        "neither the output of nccl-tests nor CSV");
  std::ostringstream out, error;
  CHECK(cli::run_command_line({"coll"}, {"1.2.3", "abc"}, {out, error}) == 2);
  CHECK_THAT(error.str(), Contains("--platform is required"));
  CHECK(cli::run_command_line({"coll", "--platform", "dgx-h10"}, {"1.2.3", "abc"}, {out, error}) ==
        2);
  CHECK_THAT(error.str(), Contains("did you mean \"dgx-h100\"?"));
}

TEST_CASE("files that are not there are input errors", "[cli][coll]") {
  const Coll coll;
  CHECK(coll({"--measured", "/nowhere/measured.txt"}).exit_code == 3);
  std::ostringstream out, error;
  CHECK(cli::run_command_line({"coll", "--platform", "no/such.yaml"}, {"1", "abc"}, {out, error}) ==
        3);
}

TEST_CASE("list names the bundled platforms", "[cli][coll]") {
  std::ostringstream out, error;
  CHECK(cli::run_command_line({"list", "platforms"}, {"1.2.3", "abc"}, {out, error}) == 0);
  CHECK_THAT(out.str(), Contains("  dgx-h100           DGX H100"));
  CHECK_THAT(out.str(), Contains("  hoti20-flat "));
}
