// `orrery calibrate` and `orrery run --measured` as a user calls them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/text_file.h"
#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;
using test::Files;
using test::Printed;

namespace {

const std::string job = R"(platform:
  npu: {preset: a100, efficiency: {preset: a100-2023}}
  topology:
    levels: [{name: nvlink, kind: switch, size: 2, bandwidth: 235 GB/s, latency: 1 us}]
workload:
  transformer: {layers: 2, hidden: 2048, heads: 16, sequence: 1024, vocabulary: 2048}
  training: {global_batch: 4, micro_batch: 2}
)";

struct Variation {
  std::string hidden, micro_batch;
};
const std::vector<Variation> variations{{"512", "1"},  {"512", "2"},  {"1024", "1"}, {"1024", "2"},
                                        {"2048", "1"}, {"2048", "2"}, {"4096", "1"}, {"4096", "2"}};

// What an iteration takes on a device that reaches just this.
std::string seconds_of(const std::string& file, const Variation& variation) {
  const Printed run =
      test::run_orrery({"run", file, "--format", "json", "--quiet", "--set",
                        "platform.npu.efficiency={matrix: 62 %, attention: 66 %, memory: 80 %, "
                        "spread: 1.5 %, launch: 3 us, results: 4.5 TB/s}",
                        "--set", "workload.transformer.hidden=" + variation.hidden, "--set",
                        "workload.training.micro_batch=" + variation.micro_batch});
  REQUIRE(run.exit_code == 0);
  return fmt::format("{} ps", nlohmann::json::parse(run.out)["iteration_ps"].get<std::int64_t>());
}

std::string measured(const std::string& file) {
  std::string text =
      "# timed\nexperiment,time,workload.transformer.hidden,workload.training.micro_batch\n";
  for (const Variation& variation : variations)
    text += fmt::format("job.yaml,{},{},{}\n", seconds_of(file, variation), variation.hidden,
                        variation.micro_batch);
  return text;
}

// A share in %, or a time in us.
double number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\n" + key + ": ");
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + key.size() + 3;
  const std::string value = text.substr(begin, text.find('\n', begin) - begin);
  return std::stod(value) / (value.find(" ns") != std::string::npos ? 1000 : 1);
}

}  // namespace

// The times are the simulator's own, so the parameters they were made with are the right answer.
TEST_CASE("calibrate writes the efficiency that the times were made with", "[cli]") {
  const Files files;
  const std::string file = files.write("job.yaml", job);
  const std::string rows = files.write("measured.csv", measured(file));
  const std::string fitted = files.path("my.yaml");
  const Printed printed = test::run_orrery({"calibrate", rows, "-o", fitted});
  INFO(printed.out << printed.error);
  REQUIRE(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("job.yaml hidden=512 micro_batch=1") && Contains("left out"));
  const std::string text = read_text_file(fitted);
  CHECK(number_after(text, "matrix") == Approx(62).epsilon(0.02));
  CHECK(number_after(text, "memory") == Approx(80).epsilon(0.02));
  CHECK(number_after(text, "launch") == Approx(3).epsilon(0.02));
  // The file is used by its name; an efficiency of one's own has no expected error.
  const Printed run =
      test::run_orrery({"run", file, "--set", "platform.npu.efficiency={preset: " + fitted + "}"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, !Contains("+-"));
  // It is not written over.
  CHECK(test::run_orrery({"calibrate", rows, "-o", fitted}).exit_code == 2);
}

// Two layers of 12 x 2,048^2 parameters, 4 B of gradient each: 400 MB between two ranks take 4 s at
// 0.1 GB/s, and the rows 10 ms.
TEST_CASE("calibrate says which runs a level holds up", "[cli]") {
  const Files files;
  std::string slow = job;
  slow.replace(slow.find("235 GB/s"), 8, "0.1 GB/s");
  files.write("job.yaml", slow);
  const std::string rows = files.write(
      "measured.csv",
      "experiment,time,workload.training.micro_batch\njob.yaml,10 ms,1\njob.yaml,10 ms,2\n");
  const Printed printed = test::run_orrery({"calibrate", rows, "--free", "matrix"});
  INFO(printed.out << printed.error);
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.error, Contains("micro_batch=1: nvlink alone takes") &&
                                Contains("of 10 ms, so the time says little of the processor"));
}

TEST_CASE("calibrate says what the rows do not determine", "[cli]") {
  const Files files;
  files.write("job.yaml", job);
  const std::string rows = files.write("measured.csv", "experiment,time\njob.yaml,11.5 ms\n");
  const Printed printed = test::run_orrery({"calibrate", rows});
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("not determined") && Contains("too few rows"));
  CHECK_THAT(printed.error, Contains("is not determined by these rows"));
}

TEST_CASE("calibrate says what is wrong with its rows", "[cli]") {
  const Files files;
  files.write("job.yaml", job);
  const auto error = [&](const std::string& text) {
    const Printed printed = test::run_orrery({"calibrate", files.write("rows.csv", text)});
    CHECK(printed.exit_code == 2);
    return printed.error;
  };
  CHECK_THAT(error(""), Contains("there is no timed run in it"));
  CHECK_THAT(error("experiment,seconds\n"), Contains("rows.csv:1") && Contains("no column time"));
  CHECK_THAT(error("experiment,time\njob.yaml,fast\n"), Contains("rows.csv:2"));
  CHECK_THAT(error("experiment,time\njob.yaml,0 s\n"), Contains("a time of 0 says nothing"));
  CHECK_THAT(error("experiment,time\njob.yaml,1 s,2\n"), Contains("3 cells, but 2 columns"));
}

// The second row is of another era. What is not fitted would silently be that of the first.
TEST_CASE("calibrate refuses rows that have different efficiencies", "[cli]") {
  const Files files;
  files.write("job.yaml", job);
  const std::string rows = files.write("measured.csv",
                                       "experiment,time,platform.npu.efficiency.preset\njob.yaml,"
                                       "11 ms,\njob.yaml,12 ms,a100-2021\n");
  const Printed refused = test::run_orrery({"calibrate", rows, "--free", "matrix"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.error, Contains("measured.csv:3") &&
                                Contains("a100-2021, but a100-2023 for line 2") &&
                                Contains("--from"));
  const std::string same =
      files.write("same.csv",
                  "experiment,time,platform.npu.efficiency.preset\njob.yaml,11 ms,\n"
                  "job.yaml,12 ms,a100-2023\n");
  CHECK(test::run_orrery({"calibrate", same, "--free", "matrix"}).exit_code == 0);
}

// A quarter of the time more than simulated; and a time that cannot be read.
TEST_CASE("run --measured says where the difference could lie", "[cli]") {
  const Files files;
  const std::string file = files.write("job.yaml", job);
  const Printed plain = test::run_orrery({"run", file, "--format", "json", "--quiet"});
  const auto simulated = nlohmann::json::parse(plain.out)["iteration_ps"].get<std::int64_t>();
  const Printed printed =
      test::run_orrery({"run", file, "--measured", fmt::format("{} ps", simulated * 5 / 4)});
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("simulated 20.0 % too short, beyond the expected +-") &&
                              Contains("what alone would explain it"));
  CHECK(test::run_orrery({"run", file, "--measured", "long"}).exit_code == 2);
}

// Fitted on the era that waits for the sums of input gradients, the file must say so, with the
// products that were timed: without them it predicts other times than those of the fit.
TEST_CASE("the file that calibrate writes predicts the times of the fit", "[cli]") {
  const Files files;
  const std::string start =
      "matrix: 70 %\nmemory: 60 %\nissue: 20 us\noverlap_gradient_sums: false\n"
      "optimizer_traffic: 52 B\n"
      "products: [{rows: 1024, columns: 2048, depth: 512, time: 123456789 ps}]\n";
  const std::string preset = files.write("start.yaml", start);
  std::string tensor_job = job;
  const std::string era = "a100-2023", training = "training: {";
  tensor_job.replace(tensor_job.find(era), era.size(), preset);
  tensor_job.insert(tensor_job.find(training) + training.size(), "tensor: 2, ");
  const std::string file = files.write("job.yaml", tensor_job);
  // 1 % off the fit's own start, so that something is fitted.
  const Printed plain = test::run_orrery({"run", file, "--format", "json", "--quiet"});
  INFO(plain.error);
  REQUIRE(plain.exit_code == 0);
  const auto time = nlohmann::json::parse(plain.out)["iteration_ps"].get<std::int64_t>();
  const std::string rows = files.write(
      "measured.csv", fmt::format("experiment,time\njob.yaml,{} ps\n", time * 101 / 100));
  const std::string fitted = files.path("my.yaml");
  const Printed printed = test::run_orrery({"calibrate", rows, "--free", "matrix", "-o", fitted});
  INFO(printed.out << printed.error);
  REQUIRE(printed.exit_code == 0);
  const std::string text = read_text_file(fitted);
  CHECK_THAT(text, Contains("overlap_gradient_sums: false\n") && Contains("issue: 20 us\n") &&
                       Contains("optimizer_traffic: 52 B\n"));
  CHECK_THAT(text, Contains("- {rows: 1024, columns: 2048, depth: 512, time: 123456789 ps}"));
  const Printed again = test::run_orrery({"run", file, "--format", "json", "--quiet", "--set",
                                          "platform.npu.efficiency={preset: " + fitted + "}"});
  REQUIRE(again.exit_code == 0);
  const auto predicted = nlohmann::json::parse(again.out)["iteration_ps"].get<std::int64_t>();
  CHECK(static_cast<double>(predicted) == Approx(1.01 * static_cast<double>(time)).epsilon(1e-4));
}
