// What is chosen on tori without `system:`, against what their links allow.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

// Of n NPUs each sends 2 (n-1)/n of S = 1,073,741,824 B at least, over six links of 100 GB/s where
// a torus has three dimensions, over four where it has two. 64 NPUs in three: 2 x 63/64 x S / 600
// GB/s = 3,523.2 us. 16 in two: 2 x 15/16 x S / 400 GB/s = 5,033.2 us. Cubes
// have as much to do in each dimension, so all links can be busy all the time; 0.2 % are for steps.
TEST_CASE("an all-reduce on a cube uses all of its links") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_torus_choice." + std::to_string(getpid()) + ".yaml");
  const auto microseconds_of = [&](const std::string& sizes) {
    std::ofstream(file) << "platform: {npu: tpu-v5p, topology: {torus: {sizes: " << sizes
                        << ", bandwidth: 100 GB/s, latency: 0.1 us}}}\n"
                           "workload: {program: [{operations: [{all_reduce: 1 GiB}]}]}\n";
    return static_cast<double>(simulate(load_experiment(file, {})).finish.value) * 1e-6;
  };
  const double cube = microseconds_of("[4, 4, 4]"), square = microseconds_of("[4, 4]");
  CHECK(cube > 3'523.2);
  CHECK(cube < 3'523.3 * 1.002);
  CHECK(square > 5'033.1);
  CHECK(square < 5'033.2 * 1.002);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace orrery
