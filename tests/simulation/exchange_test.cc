// Programs with sizes of their own and with servers, from YAML to their time.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

// n NPUs on a switch of 1 GB/s, 1 us from NPU to NPU; no endpoint cost.
class Files {
 public:
  Files() { fs::create_directories(folder_); }
  ~Files() { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  RunResult run(int npus, const std::string& program,
                const std::string& system = "chunks: 1") const {
    return simulate(load_experiment(
        write("test.yaml",
              "platform: {topology: {levels: [{kind: switch, size: " + std::to_string(npus) +
                  ", bandwidth: 1 GB/s, latency: 0.5 us, in_network_reduction: true}]}}\n"
                  "system: {injection_latency: 0 us, local_injection_latency: 0 us, " +
                  system + "}\nworkload: {program: " + program + "}\n"),
        {}));
  }

 private:
  fs::path folder_ =
      fs::temp_directory_path() / ("orrery_exchange_test." + std::to_string(getpid()));
};

// Rank 0 sends 3 kB to rank 1 and 1 kB to rank 2, the others nothing; direct, one port: 4 us, and
// the path.
TEST_CASE("an all_to_allv reads its sizes inline, from a file or as a weighted row") {
  const Files files;
  const Duration expected = microseconds(5);
  CHECK(files
            .run(3,
                 "[{operations: [{all_to_allv: {sizes: [[0 B, 3 kB, 1 kB], [0 B, 0 B, 0 B], "
                 "[0 B, 0 B, 0 B]]}}]}]")
            .finish == expected);
  files.write("sizes.csv", "# a row for each rank\n0, 3 kB, 1000\r\n0,0,0\n0,0,0\n");
  const RunResult csv = files.run(3, "[{operations: [{all_to_allv: {csv: sizes.csv}, name: x}]}]");
  CHECK(csv.finish == expected);
  CHECK(csv.layers.at(0).bytes == bytes(4'000));  // the largest row
  REQUIRE(csv.levels.size() == 1);
  CHECK(csv.levels[0].collective == "all_to_allv");
  CHECK(csv.levels[0].bytes == bytes(4'000));
  // 2 : 1 : 1, of which a rank keeps its own: rank 0 receives 2 kB from each of two others.
  CHECK(files.run(3, "[{operations: [{all_to_allv: {row: 4 kB, weights: [2, 1, 1]}}]}]").finish ==
        microseconds(5));
  // Without weights an all-to-all: two parts of 1 kB.
  CHECK(files.run(3, "[{operations: [{all_to_allv: {row: 3 kB}}]}]").finish == microseconds(3));
  CHECK_THROWS_AS(files.run(3, "[{operations: [{all_to_allv: {csv: none.csv}}]}]"), ConfigError);
}

// n workers, k servers, S each: n/k S/B at a server's port, each way (spec: parameter servers at
// 1 : 3). 2 servers, 6 workers, S = 2 MB: a shard of 1 MB, 6 of them through a server's port: 6 ms
// for the push, and 6 ms for the pull, which begins when all is there; two paths of 1 us.
TEST_CASE("dedicated parameter servers take n/k S/B for a push and for a pull") {
  const Files files;
  const RunResult result = files.run(
      8,
      "[{ranks: 0-1, operations: [{serve: 2 MB, servers: 0-1, workers: 2-7}]}, "
      "{ranks: 2-7, operations: [{push: 2 MB, servers: 0-1}, {pull: 2 MB, servers: [0, 1]}]}]");
  CHECK(result.finish >= microseconds(12'002));
  CHECK(result.finish <= microseconds(14'002));  // all push to server 0 first, to server 1 then
  CHECK(result.messages == 24);
  CHECK(result.levels.at(0).bytes == bytes(24'000'000));
}

TEST_CASE("in-network reduction is there for levels that say so") {
  const Files files;
  const RunResult result =
      files.run(4, "[{operations: [{all_reduce: 1 MB}]}]", "chunks: 1, algorithms: in_network");
  CHECK(result.finish == microseconds(2'001));  // up and down
}

}  // namespace
}  // namespace orrery
