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

double microseconds_of(const std::string& sizes, const std::string& kind) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_torus_choice." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {npu: tpu-v5p, topology: {torus: {sizes: " << sizes
                      << ", bandwidth: 100 GB/s, latency: 0.1 us}}}\n"
                      << "workload: {program: [{operations: [{" << kind << ": 1 GiB}]}]}\n";
  const Duration finish = simulate(load_experiment(file, {})).finish;
  std::filesystem::remove(file);
  return static_cast<double>(finish.value) * 1e-6;
}

// Of n NPUs each sends 2 (n-1)/n of S = 1,073,741,824 B at least, over six links of 100 GB/s where
// a torus has three dimensions, over four where it has two. 64 NPUs in three: 2 x 63/64 x S / 600
// GB/s = 3,523.2 us. 16 in two: 2 x 15/16 x S / 400 GB/s = 5,033.2 us. Cubes
// have as much to do in each dimension, so all links can be busy all the time; 0.4 % are for steps,
// of up to 128 chunks.
TEST_CASE("an all-reduce on a cube uses all of its links") {
  const double cube = microseconds_of("[4, 4, 4]", "all_reduce");
  const double square = microseconds_of("[4, 4]", "all_reduce");
  CHECK(cube > 3'523.2);
  CHECK(cube < 3'523.3 * 1.004);
  CHECK(square > 5'033.1);
  CHECK(square < 5'033.2 * 1.004);
}

// 128 and 256 NPUs: 2 x 127/128 x S / 600 GB/s = 3,551.3 us and 3,565.2. The long dimension has
// most to do: a chunk that begins there leaves 1/8 or 1/16 of itself for the others. Chunks in
// equally many of each order keep its links busy for 2 x (7/8 + 7/32 + 7/128) x S/3 / 200 GB/s =
// 4,110.4 us, and 4,404.0. Orders that are chosen by what the dimensions have to do need less, and
// of many chunks there is always one for the dimension that is idle.
TEST_CASE("an all-reduce on a torus that is no cube takes a seventh more than its links at most") {
  const double eight = microseconds_of("[4, 4, 8]", "all_reduce");
  CHECK(eight > 3'551.2);
  CHECK(eight < 3'551.3 * 1.08);
  const double sixteen = microseconds_of("[4, 4, 16]", "all_reduce");
  CHECK(sixteen > 3'565.1);
  CHECK(sixteen < 3'565.2 * 1.143);
  // Half of it each; the last phases of a gather are the long ones.
  CHECK(microseconds_of("[4, 4, 16]", "reduce_scatter") < 3'565.2 / 2 * 1.1);
  CHECK(microseconds_of("[4, 4, 16]", "all_gather") < 3'565.2 / 2 * 1.2);
}

}  // namespace
}  // namespace orrery
