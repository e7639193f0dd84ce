// Which kinds of traffic meet at a port, and that a run then gets `fluid`.
#include "simulation/shared_ports.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/backend_choice.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

using Catch::StartsWith;
namespace fs = std::filesystem;

Experiment loaded(const std::string& yaml) {
  const fs::path file =
      fs::temp_directory_path() / ("orrery_shared_ports_test." + std::to_string(getpid()));
  std::ofstream(file) << yaml;
  Experiment experiment = load_experiment(file, {});
  fs::remove(file);
  return experiment;
}

// Nodes of 8 on one switch.
std::string nodes(int count, const std::string& npu = "preset: h100") {
  return "platform: {npu: {" + npu + "}, topology: {levels: [" +
         "{name: node, kind: switch, size: 8, bandwidth: 450 GB/s, latency: 0.2 us}, " +
         "{name: fabric, kind: switch, size: " + std::to_string(count) +
         ", bandwidth: 50 GB/s, latency: 1 us}]}}\n";
}

TEST_CASE("workloads share ports by what they call") {
  const auto shared = [](const std::string& workload) {
    return shared_ports_of(loaded(nodes(2) + "workload: " + workload));
  };
  CHECK(shared("{all_reduce: 1 MB}").empty());
  CHECK(shared("{program: [{ranks: 0, operations: [{send: 1 MB, to: 1}]}, "
               "{ranks: 1, operations: [{receive: 1 MB, from: 0}]}]}")
            .empty());
  CHECK(shared("{program: [{ranks: 1-2, operations: [{send: 1 MB, to: 0}]}, {ranks: 0, operations: "
               "[{receive: 1 MB, from: 1}, {receive: 1 MB, from: 2}]}]}") ==
        "point-to-point and other point-to-point messages share the ports of fabric");
  CHECK(shared("{program: [{operations: [{all_reduce: 1 MB, over: {count: 8}}, "
               "{all_reduce: 1 MB, over: {count: 2, stride: 8}}]}]}")
            .empty());
  CHECK(shared("{program: [{operations: [{all_reduce: 1 MB}, "
               "{all_reduce: 1 MB, over: {count: 2, stride: 8}}]}]}") != "");
  CHECK(shared("{model: resnet50, batch: 64}").empty());
  CHECK(shared("{model: {preset: dlrm-dcnv2, global_batch: 4096}}") ==
        "all_to_all and all_reduce messages share the ports of fabric");
}

// 100 MB to rank 1 and 1 MB to rank 2 leave together by one port of 50 GB/s. Each has a half of it
// until the small one has left, after 2 x 1 MB / 50 GB/s = 40 us; the port is busy for 101 MB / 50
// GB/s = 2.02 ms. Two links of 1 us follow. Whole messages in turn: the small one came after 2.022
// ms.
TEST_CASE("a small message does not wait for a large one that leaves by the same port") {
  const RunResult result = simulate(
      loaded("platform: {topology: {levels: [{kind: switch, size: 3, bandwidth: 50 GB/s, latency: "
             "1 us}]}}\n"
             "system: {injection_latency: 0 us, local_injection_latency: 0 us}\n"
             "workload: {program: [{ranks: 0, operations: [{send: 100 MB, to: 1, async: true}, "
             "{send: 1 MB, to: 2}]}, {ranks: 1, operations: [{receive: 100 MB, from: 0}]}, "
             "{ranks: 2, operations: [{receive: 1 MB, from: 0}]}]}"));
  CHECK(result.backend == "fluid");
  CHECK(result.ranks[2].finish == microseconds(42));
  CHECK(result.ranks[1].finish == microseconds(2022));
}

TEST_CASE("jobs share ports if one of them does") {
  Experiment jobs = loaded(nodes(2) + "workload: {all_reduce: 1 MB}");
  const WorkloadSpec alone = jobs.workload;
  const WorkloadSpec training =
      loaded(nodes(2) + "workload: {transformer: llama3-8b, training: {global_batch: 16}}")
          .workload;
  jobs.topology.levels.resize(1);
  jobs.workload.what = JobsSpec{{{"red", {0, 1}, {}, alone}, {"blue", {2, 5}, {}, alone}}};
  CHECK(shared_ports_of(jobs).empty());
  jobs.workload.what = JobsSpec{{{"red", {0, 1}, {}, alone}, {"blue", {2, 5}, {}, training}}};
  CHECK(shared_ports_of(jobs) == "exchanges of an iteration go on side by side");
}

TEST_CASE("ports that kinds of traffic share need fluid, unless that takes minutes") {
  const std::string workload =
      "workload: {transformer: llama3-405b, training: {tensor: 8, pipeline: 16, sharding: zero1, "
      "global_batch: 2048}}";
  const Experiment folded = loaded(nodes(2048) + workload);
  CHECK(folded.network.backend == "fluid");
  CHECK(choose_backend(folded).because == "exchanges of an iteration go on side by side");
  const Experiment unfolded =
      loaded(nodes(2048, "preset: h100, stragglers: [{ranks: 3, slowdown: 1.1}]") + workload);
  CHECK(unfolded.network.backend == "analytical");
  CHECK_THAT(choose_backend(unfolded).because,
             StartsWith("exchanges of an iteration go on side by side, but sharing ports fairly "
                        "(fluid) would take "));
  CHECK(loaded(nodes(16) + "workload: {all_reduce: 1 MB}").network.backend == "analytical");
}

}  // namespace
}  // namespace orrery
