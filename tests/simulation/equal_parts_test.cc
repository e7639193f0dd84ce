// What equal links carry: the drawing of the network in a page.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

RunResult simulated(const std::string& workload, bool fold = true, bool page = true) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / ("orrery_equal_parts." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform:\n"
                         "  topology:\n"
                         "    leaf_spine: {leaves: 2, plugs: 4, spines: 1, bandwidth: 8 GB/s,\n"
                         "                 uplink_bandwidth: 4 GB/s, latency: 1 ns}\n"
                         "network: {backend: fluid}\n"
                         "system: {algorithms: ring, chunks: 1, schedule: baseline}\n"
                         "workload: {program: ["
                      << workload << "]}\n";
  SimulateOptions options;
  options.fold = fold;
  options.page = page;
  const RunResult result = simulate(load_experiment(file, {}), options);
  std::filesystem::remove(file);
  return result;
}

// 8 NPUs below 2 leaves below 1 spine: links up and down at both levels.
TEST_CASE("equal links: the counts are those of the wires") {
  const RunResult result = simulated("{operations: [{reduce_scatter: 80 MB}]}");
  REQUIRE(result.equal_nodes.size() == 3);
  CHECK(result.equal_nodes[0].name == "8 NPUs (npu0, ...)");
  CHECK(result.equal_nodes[0].count == 8);
  CHECK(result.equal_nodes[1].count == 2);
  CHECK(result.equal_nodes[2].name == "spine0");
  REQUIRE(result.equal_links.size() == 4);
  for (const EqualLinksRow& links : result.equal_links)
    CHECK(links.count == (links.level == "leaf" ? 8 : 2));
}

// S = 80 MB (why_test.cc): each NPU sends 3/4 S inside of its leaf and S/8 to the other, 70 MB in
// 17.5 ms at 8 GB/s: half of the time. An uplink carries 4 S/8 = 40 MB at 4 GB/s, 10 of 17.5 ms.
TEST_CASE("equal links: utilisation of a reduce-scatter by hand, folded or not") {
  for (const bool fold : {true, false}) {
    const RunResult result = simulated("{operations: [{reduce_scatter: 80 MB}]}", fold);
    for (const EqualLinksRow& links : result.equal_links) {
      const bool is_uplink = links.level == "spine";
      CHECK(links.bytes == bytes(is_uplink ? 80'000'000 : 560'000'000));
      CHECK(links.bandwidth == (is_uplink ? 4 : 8));
      CHECK(links.least == Approx(is_uplink ? 10 / 17.5 : 0.5).epsilon(1e-4));
      CHECK(links.median == links.least);
      CHECK(links.most == links.least);
    }
  }
}

// 4 GB from NPU 0 to NPU 4: an uplink is busy all the time, the sender's port half of it, and all
// other links never. The median of two, one of them full, is the lower one.
TEST_CASE("equal links: one that is full among idle ones") {
  const RunResult result = simulated(
      "{ranks: [0], operations: [{send: 4 GB, to: 4}]}, "
      "{ranks: [4], operations: [{receive: 4 GB, from: 0}]}");
  for (const EqualLinksRow& links : result.equal_links) {
    CHECK(links.bytes == bytes(4'000'000'000));
    CHECK(links.least == 0);
    CHECK(links.median == 0);
    CHECK(links.most == Approx(links.level == "spine" ? 1 : 0.5).epsilon(1e-6));
  }
}

TEST_CASE("equal links are told only where a page is asked for") {
  CHECK(simulated("{operations: [{barrier: true}]}", true, false).equal_links.empty());
}

}  // namespace
}  // namespace orrery
