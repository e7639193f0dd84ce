// What is exported and read back is the same job.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/frontends/cli/command_under_test.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Catch::Contains;
using nlohmann::json;
using test::Files;
using test::Printed;
using test::run_orrery;

json result_of(const std::string& file) {
  const Printed printed = run_orrery({"run", file, "--format", "json", "--no-fold"});
  INFO(printed.error);
  REQUIRE(printed.exit_code == 0);
  return json::parse(printed.out);
}

// Platform and system of an experiment, with the exported trace as its workload.
void check_round_trip(const std::string& platform_and_system, const std::string& workload) {
  const Files files;
  const std::string direct = files.write("direct.yaml", platform_and_system + workload);
  const Printed exported = run_orrery({"export", "chakra", direct, "-o", files.path("out")});
  INFO(exported.error);
  REQUIRE(exported.exit_code == 0);
  const std::string back =
      files.write("back.yaml", platform_and_system + "workload: {file: out/workload.yaml}\n");
  const json before = result_of(direct), after = result_of(back);
  CHECK(after["finish_ps"] == before["finish_ps"]);
  CHECK(after["messages"] == before["messages"]);
  CHECK(after["stolen_ps"] == before["stolen_ps"]);
  REQUIRE(after["ranks"].size() == before["ranks"].size());
  for (std::size_t rank = 0; rank < before["ranks"].size(); ++rank)
    CHECK(after["ranks"][rank]["finish_ps"] == before["ranks"][rank]["finish_ps"]);
  const auto bytes_of = [](const json& result) {
    json bytes;
    for (const json& level : result["levels"])
      bytes[level["name"].get<std::string>() + ' ' + level["collective"].get<std::string>()] =
          level["bytes"];
    return bytes;
  };
  CHECK(bytes_of(after) == bytes_of(before));
}

const std::string two_levels = R"(
platform:
  npu: {peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s}
  topology:
    levels:
      - {name: node, kind: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us, scope: local}
      - {name: net, kind: switch, size: 4, bandwidth: 25 GB/s, latency: 2 us}
system: {algorithms: ring, chunks: 4, protocol: none}
)";

TEST_CASE("a text workload with updates comes back as it was") {
  check_round_trip(two_levels, "workload: {iterations: 2, text: " + source_folder() +
                                   "/examples/dlrm-text/DLRM_HybridParallel.txt}\n");
}

// 1,000,001 B over 4 ranks: an all-gather that is no multiple.
TEST_CASE("a program with messages and groups comes back as it was") {
  check_round_trip(two_levels, R"(
workload:
  program:
    - ranks: 0-7
      operations:
        - {compute: 10 us}
        - {all_gather: 1000001 B, over: [node], async: true}
        - {compute: 5 us}
        - {all_reduce: 4 MB, over: {ranks: 0-7}}
    - ranks: 8
      operations: [{send: 1 MB, to: 9}, {compute: 3 us}]
    - ranks: 9
      operations: [{receive: 1 MB, from: 8}]
)");
}

TEST_CASE("a transformer with tensor parallelism comes back as it was") {
  check_round_trip(two_levels, R"(
workload:
  transformer: {layers: 8, hidden: 1024, heads: 16, sequence: 1024, vocabulary: 32000}
  training: {tensor: 2, micro_batch: 1, global_batch: 16}
)");
}

// The norm goes through the stages of the pipeline in turn (Communicator::rows), which the trace
// has to say: else the first stage ends 100 ps later. Channels of the library take their share of
// what computes, before and after.
TEST_CASE("Mixtral in stages and with experts comes back as it was") {
  check_round_trip(R"(
platform:
  npu: {preset: h100}
  topology:
    levels:
      - {name: node, kind: switch, size: 8, bandwidth: 450 GB/s, latency: 0.5 us, scope: local}
      - {name: fabric, kind: switch, size: 4, bandwidth: 400 Gb/s, latency: 1 us}
)",
                   R"(
workload:
  training:
    {tensor: 2, pipeline: 2, expert: 8, sequence_parallel: true, global_batch: 16}
  transformer: {sequence: 4096, file: )" +
                       source_folder() + "/tests/frontends/yaml/configs/mixtral.json}\n");
}

// Its last section is the workload.
TEST_CASE("the example of two NICs comes back as it was") {
  std::ifstream file(source_folder() + "/examples/two-nics/two-nics.yaml");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t workload = text.find("\nworkload:") + 1;
  REQUIRE(workload > 1);
  check_round_trip(text.substr(0, workload), text.substr(workload));
}

TEST_CASE("GPT-3 175B on 128 ranks comes back as it was", "[slow]") {
  check_round_trip("platform: {file: dgx-a100, nodes: 16}\n",
                   R"(
workload:
  model: gpt3-175b
  training: {tensor: 8, pipeline: 16, sequence_parallel: true, micro_batch: 1, global_batch: 64}
)");
}

TEST_CASE("ranks that do the same share a file") {
  const Files files;
  const std::string file = files.write("x.yaml", two_levels +
                                                     "workload: {program: [{operations: "
                                                     "[{all_reduce: 1 MB}]}]}\n");
  const Printed printed = run_orrery({"export", "chakra", file, "-o", files.path("out")});
  CHECK_THAT(printed.out, Contains("16 nodes of 16 ranks, 1 of them different"));
  CHECK(std::filesystem::hard_link_count(files.path("out/rank.3.et")) == 16);
  CHECK(run_orrery({"export", "chakra", file, "-o", files.path("out")}).exit_code == 2);
  CHECK(run_orrery({"export", "chakra", file, "-o", files.path("out"), "--force", "--copies"})
            .exit_code == 0);
  CHECK(std::filesystem::hard_link_count(files.path("out/rank.3.et")) == 1);
}

TEST_CASE("what a trace cannot say is refused") {
  const Files files;
  const std::string file = files.write(
      "x.yaml", two_levels + "workload: {program: [{operations: [{broadcast: 1 MB, root: 3}]}]}\n");
  const Printed printed = run_orrery({"export", "chakra", file, "-o", files.path("out")});
  CHECK(printed.exit_code == 2);
  CHECK_THAT(printed.error, Contains("root"));
}

}  // namespace
}  // namespace orrery
