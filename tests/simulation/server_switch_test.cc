// The switch of a server adds for NCCL (NVLS), however the platform is written.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

RunResult all_reduce_in_node(const std::string& platform) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_server_switch." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: " << platform
                      << "\nworkload: {program: [{operations: [{all_reduce: 128 MiB, over: {count: "
                         "8, stride: 1}}]}]}\n";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  return result;
}

// A ring carries 2 x 7/8 S through a port, NVLS as much as S, at less of the port (nccl-h100). Two
// servers on rails are a graph, in which a switch is a node with links: the same wires.
TEST_CASE("NVLS is chosen inside the servers of a graph, too") {
  const RunResult alone = all_reduce_in_node("hgx-h100");
  const RunResult of_two = all_reduce_in_node("{nodes: 2, server: hgx-h100}");
  for (const RunResult* result : {&alone, &of_two}) {
    REQUIRE(result->selected.size() == 1);
    CHECK_THAT(result->selected.front().chosen, Catch::Contains("nvls"));
  }
  // Their latencies are unlike, a few of 600 us.
  CHECK(std::abs(alone.finish.value - of_two.finish.value) < alone.finish.value / 20);
  // Each pair of these has a link of its own, and no switch.
  const RunResult meshed = all_reduce_in_node("{nodes: 2, server: mi300x-platform}");
  CHECK_THAT(meshed.selected.front().chosen, Catch::StartsWith("direct"));
}

// An H100 has 64 GB/s to its NIC: 800 Gb/s, 100 GB/s, are more, 400 Gb/s are not.
TEST_CASE("NICs that are faster than what reaches them are named") {
  const auto told = [](const char* nic) {
    const RunResult result =
        all_reduce_in_node(std::string("{nodes: 2, server: hgx-h100, nic: ") + nic + "}");
    return std::ranges::count_if(result.notices, [](const std::string& notice) {
      return notice.find(" can send 100 GB/s, and its NPUs bring it 64 GB/s, ") !=
             std::string::npos;
    });
  };
  CHECK(told("800 Gb/s") == 1);
  CHECK(told("400 Gb/s") == 0);
}

}  // namespace
}  // namespace orrery
