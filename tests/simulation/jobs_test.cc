// Several jobs on one platform, from YAML to their times.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

class JobFiles {
 public:
  JobFiles() { fs::create_directories(folder_); }
  ~JobFiles() { fs::remove_all(folder_); }
  JobFiles(const JobFiles&) = delete;
  JobFiles& operator=(const JobFiles&) = delete;

  // Two leaves of four NPUs, one uplink each of 1 GB/s, as are all wires; no latency.
  RunResult run(const std::string& workload, const std::string& backend = "fluid") const {
    const fs::path file = folder_ / "test.yaml";
    std::ofstream(file) << "platform: {npu: {preset: a100}, topology: {leaf_spine: {leaves: 2, "
                           "spines: 1, plugs: 4, bandwidth: 1 GB/s, latency: 0 us}}}\n"
                           "system: {protocol: none, schedule: flat, algorithms: ring, chunks: 1, "
                           "injection_latency: 0 us, local_injection_latency: 0 us}\n"
                           "network: {backend: " +
                               backend + "}\nworkload: " + workload;
    return simulate(load_experiment(file, {}));
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("orrery_jobs_test." + std::to_string(getpid()));
};

std::string job(const std::string& name, const std::string& npus, const std::string& more = "") {
  return "{name: " + name + ", npus: \"" + npus + "\", iterations: 4, " + more +
         "program: [{operations: [{name: c, compute: 6 ms}, {name: m, all_reduce: 4 MB}]}]}";
}

// A ring of 4 sends 2 x 3/4 x 4 MB = 6 MB over each of its wires: M = 6 ms at 1 GB/s, and C = M.
// Together the rings cross the uplinks at half the speed: 4 rounds of C + 2M = 72 ms. If one starts
// C later, the uplinks are never shared: C + M, 48 ms for each.
TEST_CASE("jobs that share a link collide or interleave") {
  const JobFiles files;
  const RunResult colliding =
      files.run("{jobs: [" + job("red", "0-1,4-5") + ", " + job("blue", "2-3,6-7") + "]}\n");
  REQUIRE(colliding.jobs.size() == 2);
  CHECK(colliding.jobs[0].name == "red");
  CHECK(colliding.jobs[0].finish == milliseconds(72));
  CHECK(colliding.jobs[1].finish == milliseconds(72));

  CHECK(colliding.why.front().level == "spine");
  CHECK_THAT(
      colliding.why.front().knob,
      Catch::StartsWith("jobs that start apart or share no links (start, npus of red, blue)"));

  const RunResult interleaved = files.run("{jobs: [" + job("red", "0-1,4-5") + ", " +
                                          job("blue", "2-3,6-7", "start: 6 ms, ") + "]}\n");
  CHECK(interleaved.jobs[0].finish == milliseconds(48));
  CHECK(interleaved.jobs[1].start == milliseconds(6));
  CHECK(interleaved.jobs[1].finish == milliseconds(54));
  CHECK(interleaved.jobs[1].compute == milliseconds(24));
  CHECK(interleaved.jobs[1].exposed == milliseconds(24));
  CHECK(interleaved.jobs[1].idle == Duration{});
  CHECK(interleaved.ranks[2].idle == milliseconds(6));  // before its start
}

TEST_CASE("a job beside one that it shares no wire with takes what it takes alone") {
  const JobFiles files;
  const RunResult alone = files.run("{jobs: [" + job("red", "0-3") + "]}\n");
  const RunResult both =
      files.run("{jobs: [" + job("red", "0-3") + ", " + job("blue", "4-7") + "]}\n");
  CHECK(both.why.at(1).knob.find("jobs") == std::string::npos);
  CHECK(alone.jobs[0].finish == milliseconds(48));
  CHECK(both.jobs[0].finish == alone.jobs[0].finish);
  CHECK(both.ranks[5].finish == milliseconds(48));
  CHECK(alone.ranks[5].finish == Duration{});  // of no job
}

// Each job sees a platform of its own size: a data-parallel transformer on each half.
TEST_CASE("models fill the NPUs of their job") {
  const JobFiles files;
  const std::string model =
      "transformer: {layers: 2, hidden: 64, heads: 4, vocabulary: 128, sequence: 16}, "
      "training: {tensor: 2, global_batch: 4}";
  const RunResult both = files.run("{jobs: [{name: a, npus: \"0-3\", " + model +
                                   "}, {name: b, npus: \"4-7\", " + model + "}]}\n");
  CHECK(both.jobs[0].finish == both.jobs[1].finish);
  CHECK(both.jobs[0].finish > Duration{});
  CHECK(both.jobs[0].compute > Duration{});
}

// One job that has all NPUs says of itself what the report of the same model alone says.
TEST_CASE("a job has the rates and the memory that its model has alone") {
  const JobFiles files;
  const std::string model =
      "transformer: {layers: 2, hidden: 64, heads: 4, vocabulary: 128, sequence: 16}, "
      "training: {tensor: 2, global_batch: 4}";
  const RunResult alone = files.run("{" + model + ", iterations: 2}\n");
  const RunResult placed =
      files.run("{jobs: [{name: a, nodes: 8, iterations: 2, " + model + "}]}\n");
  REQUIRE(placed.jobs.size() == 1);
  const JobRow& row = placed.jobs.front();
  CHECK(row.finish == alone.finish);
  REQUIRE(row.tokens_per_s_npu);
  CHECK(*row.tokens_per_s_npu == std::llround(alone.training->tokens_per_s_npu));
  REQUIRE(row.utilisation);
  REQUIRE(alone.training->utilisation.front().utilisation);
  CHECK(*row.utilisation == Approx(*alone.training->utilisation.front().utilisation));
  CHECK(row.memory == alone.memory.front().total);

  // A program has none of these.
  const RunResult program = files.run("{jobs: [" + job("red", "0-3") + "]}\n");
  CHECK(!program.jobs[0].tokens_per_s_npu);
  CHECK(!program.jobs[0].memory);
}

// Without servers a node is an NPU. The first job has 0 and 4, so 1 and 2 are left first; seven are
// more than the six that are left.
TEST_CASE("nodes of a job are the first that no job before it has") {
  const JobFiles files;
  const std::string what = "program: [{operations: [{compute: 1 ms}]}]}";
  const RunResult result = files.run("{jobs: [{name: a, npus: \"0,4\", " + what +
                                     ", {name: b, nodes: 2, " + what + "]}\n");
  for (const Rank npu : {1, 2}) CHECK(result.ranks[npu].finish == milliseconds(1));
  for (const Rank npu : {3, 5}) CHECK(result.ranks[npu].finish == Duration{});
  CHECK_THROWS(files.run("{jobs: [{name: a, npus: \"0,4\", " + what + ", {name: b, nodes: 7, " +
                         what + "]}\n"));
}

}  // namespace
}  // namespace orrery
