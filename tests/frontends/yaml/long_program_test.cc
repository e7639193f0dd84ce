// What a program of many written operations costs to read.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "tests/counted_allocations.h"

namespace orrery {
namespace {

constexpr int operations = 8'000;

// Every second one is a compute of one key; the others have two.
std::string written_program() {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("orrery_long_program." + std::to_string(getpid()) + ".yaml");
  std::ofstream file(path);
  file << "platform:\n  topology:\n    levels: [{name: node, kind: switch, size: 8, "
          "bandwidth: 50 GB/s, latency: 1 us}]\n"
          "workload:\n  program:\n    - operations:\n";
  for (int i = 0; i < operations / 2; ++i)
    file << "        - {compute: 3 us}\n        - {all_reduce: 1 MB, async: true}\n";
  return path;
}

// 80,000 operations in 100 MB are 1,250 B each. Held at once are, of an operation: its text (35 B)
// and its line (16, twice while the list grows), 2.5 nodes of the tree of 128 B (the nodes of the
// list twice), 1.5 recorded values of about 200 B with their text, and a step of 120 B. That is
// about 0.9 kB. With a default recorded for each of 19 keys it was 6.4 kB.
TEST_CASE("a written operation takes at most 1,250 B while it is read") {
  const std::string path = written_program();
  held_bytes_at_most = held_bytes;
  const std::size_t before = held_bytes;
  const Experiment experiment = load_experiment(path, {});
  std::filesystem::remove(path);
  CHECK((held_bytes_at_most - before) / operations <= 1'250);

  const auto recorded = std::ranges::count_if(experiment.resolved, [](const ResolvedValue& value) {
    return value.path.find(".operations[") != std::string::npos;
  });
  CHECK(recorded == operations + operations / 2);
}

}  // namespace
}  // namespace orrery
