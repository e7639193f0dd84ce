// Traces with a remote memory, and traces as one of several jobs: experiments in YAML.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "core/base/config_error.h"
#include "formats/input/input_texts.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

// A load of 9,000 B, recorded with 3 us, and 5 us of computing behind it.
constexpr const char* kLoad = R"({"workload_graph": [
  {"Id": 0, "Name": "load", "NodeType": 2, "runtime": 3, "tensor_size": 9000},
  {"Id": 1, "Name": "kernel", "NodeType": 4, "runtime": 5, "data_deps": [0]}]})";
// Two loads that do not wait for each other.
constexpr const char* kTwoLoads = R"({"workload_graph": [
  {"Id": 0, "Name": "load", "NodeType": 2, "runtime": 3, "tensor_size": 9000},
  {"Id": 1, "Name": "load", "NodeType": 2, "runtime": 3, "tensor_size": 9000}]})";
// 10 us of computing beside 4 us of the host, an all-reduce, and a message to the other rank.
std::string step(int rank) {
  return fmt::format(R"({{"workload_graph": [
  {{"Id": 0, "Name": "kernel", "NodeType": 4, "runtime": 10, "stream": 7}},
  {{"Id": 1, "Name": "launch", "NodeType": 4, "runtime": 4, "is_cpu_op": true, "tid": 1}},
  {{"Id": 2, "Name": "sum", "NodeType": 7, "stream": 8, "data_deps": [0], "comm_type": 0,
    "comm_size": 1000000}},
  {{"Id": 3, "Name": "message", "NodeType": {}, "data_deps": [2], "comm_{}": {},
    "comm_size": 5000}},
  {{"Id": 4, "Name": "host", "NodeType": 4, "runtime": 20, "is_cpu_op": true, "tid": 1,
    "data_deps": [2]}}]}})",
                     rank == 0 ? 5 : 6, rank == 0 ? "dst" : "src", 1 - rank);
}

RunResult run(const std::string& yaml, bool fold = true) {
  InputTexts texts;
  texts.put("exp.yaml", yaml);
  texts.put("load.json", kLoad);
  texts.put("two.json", kTwoLoads);
  for (int rank = 0; rank < 2; ++rank) texts.put(fmt::format("step.{}.json", rank), step(rank));
  SimulateOptions options;
  options.fold = fold;
  return simulate(load_experiment("exp.yaml", {}, texts), options);
}

std::string platform(int npus) {
  return fmt::format(
      "platform: {{topology: {{levels: [{{kind: switch, size: {}, bandwidth: 25 GB/s, "
      "latency: 1 us}}]}}}}\n",
      npus);
}
std::string memory(int npus) {
  return fmt::format(
      "system: {{algorithms: ring, remote_memory: {{latency: 1 us, bandwidth: 1 GB/s, npus: "
      "{}}}}}\n",
      npus);
}

// A request takes 1 us + 9,000 B / 1 GB/s = 10 us. Four ranks ask at once.
TEST_CASE("loads go to a remote memory, which serves those that share it in turn") {
  const std::string trace = "workload: {trace: {files: load.json, replicate: 4}}\n";
  CHECK(run(platform(4) + trace).finish == microseconds(3 + 5));
  const auto finish_of = [&](int npus) {
    const RunResult result = run(platform(4) + memory(npus) + trace);
    CHECK(result.folded == (npus == 1));
    std::vector<Duration> finish;
    for (Rank rank = 0; rank < 4; ++rank) finish.push_back(result.row_of(rank).finish);
    return finish;
  };
  const auto us = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return std::vector{microseconds(a), microseconds(b), microseconds(c), microseconds(d)};
  };
  CHECK(finish_of(1) == us(15, 15, 15, 15));
  CHECK(finish_of(2) == us(15, 25, 15, 25));
  CHECK(finish_of(3) == us(15, 25, 35, 15));  // 0 to 2, and 3 alone
  CHECK(finish_of(0) == us(15, 25, 35, 45));
  // What a rank waits for its turn is time of its memory.
  const RunResult pool = run(platform(4) + memory(0) + trace);
  CHECK(pool.row_of(3).lanes->memory == microseconds(40));
  CHECK(pool.row_of(3).compute == microseconds(5));
}

// Without lanes an NPU has several requests: its own memory serves them side by side, a shared one
// in turn.
TEST_CASE("requests of one NPU go side by side unless it shares the memory") {
  const auto finish = [](int npus, const char* lanes) {
    return run(platform(2) + memory(npus) +
               fmt::format("workload: {{trace: {{files: two.json, replicate: 2, lanes: {}}}}}\n",
                           lanes))
        .finish;
  };
  CHECK(finish(1, "free") == microseconds(10));
  CHECK(finish(1, "two") == microseconds(20));
  CHECK(finish(2, "free") == microseconds(40));
}

// On a switch two jobs meet nowhere: each finishes as it does alone.
TEST_CASE("a trace is one of several jobs, beside one that is no trace") {
  const std::string system = "system: {algorithms: ring}\n";
  const std::string trace = "trace: {files: step.%d.json}";
  const std::string program =
      "program: [{operations: [{compute: 3 us}, {all_reduce: 1 MB}, {compute: 2 us}]}]";
  const RunResult traced = run(platform(2) + system + "workload: {" + trace + "}\n", false);
  const RunResult plain = run(platform(2) + system + "workload: {" + program + "}\n", false);
  for (const bool trace_first : {true, false}) {
    const std::string first = trace_first ? trace : program;
    const std::string second = trace_first ? program : trace;
    const RunResult both =
        run(platform(5) + system + "workload: {jobs: [\n  {name: a, npus: 0-1, " + first +
            "},\n  {name: b, npus: 3-4, " + second + "}]}\n");
    const Rank of_trace = trace_first ? 0 : 3, of_program = trace_first ? 3 : 0;
    for (Rank rank = 0; rank < 2; ++rank) {
      const RankRow& here = both.row_of(of_trace + rank);
      const RankRow& alone = traced.row_of(rank);
      CHECK(here.finish == alone.finish);
      CHECK(here.compute == alone.compute);
      CHECK(here.exposed == alone.exposed);
      CHECK(here.idle == alone.idle);
      CHECK(here.lanes->host == alone.lanes->host);
      CHECK(here.lanes->host > Duration{});
      CHECK(both.row_of(of_program + rank).finish == plain.row_of(rank).finish);
      CHECK(both.row_of(of_program + rank).exposed == plain.row_of(rank).exposed);
    }
    CHECK(both.row_of(2).finish == Duration{});
  }
}

// Ranks 0, 1 and 2 ask in this order, of two jobs.
TEST_CASE("traces of several jobs share a pool") {
  const RunResult result =
      run(platform(3) + memory(0) +
          "workload: {jobs: [{name: a, npus: 0-1, trace: {files: load.json, replicate: 2}}, "
          "{name: b, npus: 2, start: 2 us, trace: {files: load.json, replicate: 1}}]}\n");
  CHECK(result.row_of(0).finish == microseconds(15));
  CHECK(result.row_of(1).finish == microseconds(25));
  CHECK(result.row_of(2).finish == microseconds(35));
}

TEST_CASE("a trace of another size than its job is refused") {
  try {
    run(platform(4) + "workload: {jobs: [{name: a, npus: 0-2, trace: {files: step.%d.json}}]}\n");
    FAIL("it was read");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().front().what == "step.2.json is not there");
  }
}

}  // namespace
}  // namespace orrery
