// Which kinds of traffic meet at a port, and that a run then gets `fluid`.
#include "simulation/shared_ports.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/backend_choice.h"

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
