// ASTRA-sim's set-ups as experiments.
#include "formats/import/import_astra.h"

#include <catch2/catch.hpp>

#include <string>

#include "core/base/config_error.h"

namespace orrery {
namespace {

using Catch::Contains;

AstraSetUp set_up() {
  AstraSetUp set_up;
  set_up.network = astra::read_network("network.yml", R"(topology: [ Switch, Ring ]
npus_count: [ 8, 2 ]
bandwidth: [ 741.34, 50 ]
latency: [ 936.25, 1000 ]
)");
  set_up.system = astra::read_system("system.json", R"({
    "scheduling-policy": "FIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 2,
    "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct2"],
    "all-to-all-implementation": ["oneDirect"], "collective-optimization": "localBWAware",
    "local-mem-bw": 3350, "boost-mode": 0})",
                                     2);
  set_up.workload = "folder/gpt";
  return set_up;
}

TEST_CASE("a set-up of ASTRA-sim becomes an experiment") {
  const Imported imported = import_astra(set_up());
  // 741.34 x 2^30 B/s = 796,007,763,804.2; a ring of 2 GiB.
  CHECK_THAT(imported.yaml, Contains("{name: dim0, kind: switch, size: 8, bandwidth: "
                                     "796007763804 B/s, latency: 936250 ps}"));
  CHECK_THAT(imported.yaml, Contains("{name: dim1, kind: ring, size: 2, bandwidth: 50 GiB/s, "
                                     "latency: 1 us}"));
  CHECK_THAT(imported.yaml, Contains("backend: analytical\n"));
  CHECK_THAT(imported.yaml, Contains("  scheduling: fifo\n"));
  CHECK_THAT(imported.yaml, Contains("  schedule: local_bandwidth_aware\n"));
  CHECK_THAT(imported.yaml, Contains("  chunks: 4 "));
  CHECK_THAT(imported.yaml, Contains("  queue_limit: 2\n"));
  CHECK_THAT(imported.yaml, Contains("  injection_latency: 5 ns\n"));
  // 3350 GB/s / 3.
  CHECK_THAT(imported.yaml, Contains("  reduction_bandwidth: 1116666666667 B/s "));
  CHECK_THAT(imported.yaml, Contains("  all_reduce: {algorithms: [ring, direct:2]}\n"));
  CHECK_THAT(imported.yaml, Contains("  all_to_all: {schedule: flat, algorithms: direct}"));
  CHECK_THAT(imported.yaml, Contains("  # boost-mode: ASTRA-sim does not read it\n"));
  CHECK_THAT(imported.yaml, Contains("    files: \"folder/gpt.%d.et\"\n"));
  CHECK_THAT(imported.yaml, Contains("    durations: recorded\n"));
  CHECK(imported.ignored == std::vector<std::string>{"boost-mode"});
  CHECK(imported.assumed.empty());
}

// One letter less than a key that is read; and a key that is near none.
TEST_CASE("a key of ASTRA-sim's system that may be misspelt is told with the one that was meant") {
  AstraSetUp changed = set_up();
  changed.system = astra::read_system("system.json", R"({
    "scheduling-policy": "FIFO", "enpoint-delay": 10, "colour": "blue",
    "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "ring"],
    "collective-optimization": "localBWAware", "local-mem-bw": 3350})",
                                      2);
  CHECK(import_astra(changed).ignored ==
        std::vector<std::string>{"colour", "enpoint-delay (did you mean endpoint-delay?)"});
}

TEST_CASE("flags of ASTRA-sim change the experiment") {
  AstraSetUp changed = set_up();
  changed.shares_links = true;
  changed.queues = 4;
  changed.injection_scale = 3;
  changed.groups = "groups.json";
  changed.system.order = astra::Order::by_priority;
  changed.system.replay = true;
  const Imported imported = import_astra(changed);
  CHECK_THAT(imported.yaml, Contains("  backend: queue\n"));
  CHECK_THAT(imported.yaml, Contains("  queues_per_level: 2\n"));
  CHECK_THAT(imported.yaml, Contains("  queue_limit: 1\n"));
  CHECK_THAT(imported.yaml, Contains("  injection_latency: 15 ns\n"));
  CHECK_THAT(imported.yaml, Contains("    groups: \"groups.json\"\n"));
  CHECK_THAT(imported.yaml, Contains("  scheduling: priority"));
  CHECK_THAT(imported.yaml, Contains("    collectives: recorded"));
  changed.rendezvous = true;
  CHECK_THROWS_AS(import_astra(changed), ConfigError);
}

TEST_CASE("an experiment of ASTRA-sim's roofline has a device") {
  AstraSetUp changed = set_up();
  changed.system.roofline = true;
  changed.system.peak = 900;
  const Imported imported = import_astra(changed);
  CHECK_THAT(imported.yaml, Contains("npu: {peak: 900 TFLOP/s, memory_bandwidth: 3350 GB/s}"));
  CHECK_THAT(imported.yaml, Contains("    durations: roofline\n"));
}

}  // namespace
}  // namespace orrery
