// Data-parallel training of a stack of layers, from YAML to its time.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

// Four NPUs on a switch of 1 GB/s without latency, whose memory costs nothing; one layer of 500,000
// parameters of 2 B, M = 1 MB, and no work. Ports carry one message after the other.
RunResult run_stack(const std::string& data_parallel, std::int32_t iterations = 1) {
  const fs::path file =
      fs::temp_directory_path() / ("orrery_stack_test." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {npu: {peak: 1 TFLOP/s}, topology: {levels: [{kind: switch, "
                         "size: 4, bandwidth: 1 GB/s, latency: 0 us}]}}\n"
                         "system: {injection_latency: 0 us, algorithms: ring, chunks: 1}\n"
                         "network: {backend: analytical}\n"
                         "workload:\n  iterations: "
                      << iterations
                      << "\n  layers: {stack: [{name: a, parameters: 500000, multiply_adds: 0}]}\n"
                         "  data_parallel: {batch: 1, "
                      << data_parallel << "}\n";
  const RunResult result = simulate(load_experiment(file, {}));
  fs::remove(file);
  return result;
}

// Three workers push 1 MB each into the port of the server, 3 ms, and then all are answered out of
// it, 3 ms: n/k M/B each way, n = 3 workers, k = 1 server.
TEST_CASE("synchronous workers wait for the last push") {
  CHECK(run_stack("servers: 3").finish == milliseconds(6));
}

// The server answers each push as it comes, out of the other direction of its port: pushes are in
// after 1, 2 and 3 ms, so the last answer is out after 4.
TEST_CASE("asynchronous workers are answered at once") {
  CHECK(run_stack("servers: 3, asynchronous: true").finish == milliseconds(4));
}

// Two servers have half of the parameters each, two workers: 2 pushes of 0.5 MB into either, 1 ms,
// and 1 ms back; an iteration takes 2 ms.
TEST_CASE("servers share the parameters") {
  CHECK(run_stack("servers: \"2-3\"", 3).finish == milliseconds(6));
}

// A ring of 4: 6 steps of 250 kB.
TEST_CASE("without servers workers all-reduce") {
  CHECK(run_stack("bucket: 25 MB").finish == microseconds(1'500));
}

}  // namespace
}  // namespace orrery
