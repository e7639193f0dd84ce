// Why a run takes as long as it does where every node stores a message whole (the queue backend).
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

RunResult ring_over_leaves(const std::string& spines) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("orrery_stored." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, plugs: 4, bandwidth: 100 "
                         "Gb/s, latency: 1 us, spines: " +
                             spines +
                             "}}}\nsystem: {algorithms: ring, chunks: 1, schedule: flat}\n"
                             "network: {backend: queue}\nworkload: {all_reduce: 8 MB}\n";
  RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  return result;
}

const TimePart& part_on(const RunResult& result, const std::string& level) {
  const auto found = std::ranges::find(result.why, level, &TimePart::level);
  REQUIRE(found != result.why.end());
  return *found;
}

// A ring of 8 takes 14 hops of 1 MB, of 80 us a link: 10 of 2 links, and at the worst 4 of 4, in
// all 28 stores at leaves and 8 between switches. Over all ranks a hop has 2 links of the leaves
// and 2 x 2/8 others: 14 x 2 x 80 us = 2.24 ms and 14 x 0.5 x 80 us = 0.56 ms. Only one message at
// a time leaves a leaf, so that twice as many spines gain nothing, and no taper is to blame.
TEST_CASE("why: stored messages take the time of each link, whatever the taper") {
  const RunResult tapered = ring_over_leaves("2"), even = ring_over_leaves("4");
  CHECK(tapered.finish == even.finish);
  for (const RunResult& result : {tapered, even}) {
    CHECK(result.why.front().level == "leaf");
    CHECK(result.why.front().bound_by == BoundBy::bandwidth);
    CHECK(result.why.front().knob == "more bandwidth on leaf");
    CHECK(part_on(result, "leaf").bandwidth == microseconds(2'240));
    CHECK(part_on(result, "spine").bandwidth == microseconds(560));
    CHECK(part_on(result, "spine").knob == "more bandwidth on spine");
  }
}

}  // namespace
}  // namespace orrery
