// Keys that change nothing beside what a workload is: rates of a device where times are recorded or
// written, and algorithms for all collectives that none of those called can use.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "simulation/timed_work.h"

namespace orrery {
namespace {

using Catch::Contains;

// Two levels of 2 and 4 NPUs; `more` are lines, and operations follow 3 ms of computing.
RunResult run(const std::string& operations, const std::vector<Override>& overrides = {},
              const std::string& more = "") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("orrery_unused." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {" + more +
                             "topology: {levels: [{name: node, size: 2, bandwidth: 100 GB/s, "
                             "latency: 1 us}, {name: net, size: 4, bandwidth: 10 GB/s, latency: 1 "
                             "us}]}}\nnetwork: {backend: analytical}\n"
                             "workload: {program: [{operations: [{compute: 3 ms}" +
                             operations + "]}]}\n";
  RunResult result = simulate(load_experiment(file, overrides));
  std::filesystem::remove(file);
  return result;
}

std::string told(const RunResult& result, const std::string& key) {
  const auto found = std::ranges::find_if(
      result.notices, [&](const std::string& notice) { return notice.starts_with(key); });
  return found == result.notices.end() ? "" : *found;
}

// 3 ms of a program take 3 ms on any device.
TEST_CASE("a device's rate is said to have no effect on written times, and is not advised") {
  const RunResult plain = run("");
  CHECK(plain.finish == milliseconds(3));
  CHECK(plain.why.at(0).knob == "shorter compute times in workload.program");
  CHECK(told(plain, "platform.npu").empty());
  const RunResult faster = run("", {{"platform.npu.peak=2000 TFLOP/s"}});
  CHECK(faster.finish == milliseconds(3));
  CHECK_THAT(told(faster, "platform.npu.peak has no effect"), Contains("workload.program"));
  CHECK_FALSE(told(run("", {}, "npu: {peak: 5 TFLOP/s}, "), "platform.npu.peak").empty());
}

TEST_CASE("what makes recorded and written work shorter") {
  WorkloadSpec workload;
  GraphWorkload trace;
  workload.what = trace;
  CHECK_FALSE(computes_times(workload));
  CHECK(shorter_work(workload) == "a smaller workload.trace.compute_scale");
  trace.has_sizes = true;
  workload.what = trace;
  CHECK(computes_times(workload));
  CHECK_THAT(shorter_work(workload), Contains("npu.peak") && Contains("compute_scale"));
  workload.what = LayerTableWorkload{};
  CHECK_THAT(shorter_work(workload), Contains("workload.text"));
  workload.what = TransformerWorkload{};
  CHECK(shorter_work(workload).empty());
  JobsSpec jobs;
  jobs.jobs.resize(2);
  jobs.jobs[0].workload.what = ProgramSpec{};
  jobs.jobs[1].workload.what = trace;
  workload.what = jobs;
  CHECK(computes_times(workload));
  CHECK(shorter_work(workload).empty());
}

// bruck gathers and exchanges; a ring could do an all-to-all, and is not taken for it unless the
// kind itself names it.
TEST_CASE("an algorithm that no collective of a job can use is refused, or said to be unused") {
  const Override bruck{"system.algorithms=bruck"};
  CHECK_THROWS_WITH(run(", {all_reduce: 1 MB}", {bruck}),
                    Contains("system.algorithms: bruck cannot do") && Contains("these can: ring"));
  CHECK_THROWS_WITH(run(", {all_reduce: 1 MB}", {{"system.algorithms=[bruck, ring]"}}),
                    Contains("cannot do all_reduce"));
  CHECK(told(run(", {all_reduce: 1 MB}, {all_gather: 1 MB}", {bruck}), "system").empty());
  CHECK_NOTHROW(run("", {bruck}));
  const Override ring{"system.algorithms=ring"};
  CHECK(told(run(", {all_reduce: 1 MB}", {ring}), "system").empty());
  CHECK_THAT(told(run(", {all_to_all: 1 MB}", {ring}), "system.algorithms: ring is not used"),
             Contains("all_to_all") && Contains("direct"));
}

}  // namespace
}  // namespace orrery
