// Windows of a transport that are shorter than the round trip.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

// 10 MB at 12.5 GB/s are 0.8 ms, but in a round trip of 4 x 25 us only a window of 100 kB leaves:
// 100 of them, 10 ms. A window of 0.8 MB lets 100 MB pass in 12.5 ms, 8 of which the link carries:
// the window is a third of the time.
TEST_CASE("why: a window that is shorter than the round trip") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_window." + std::to_string(getpid()) + ".yaml");
  const auto with = [&](const std::string& transport, const std::string& size) {
    std::ofstream(file) << "platform: {topology: {levels: [{size: 2, bandwidth: 100 Gb/s, "
                           "latency: 25 us}]}}\nnetwork: {transport: " +
                               transport +
                               "}\nworkload: {program: [{ranks: 0, operations: [{send: " + size +
                               ", to: 1}]}, {ranks: 1, operations: [{receive: " + size +
                               ", from: 0}]}]}\n";
    return simulate(load_experiment(file, {}));
  };
  for (const std::string transport :
       {"{kind: tcp, window: 0.1 MB}", "{kind: roce, congestion_control: none, window: 0.1 MB}"}) {
    CAPTURE(transport);
    const RunResult result = with(transport, "10 MB");
    CHECK(result.finish > milliseconds(9));
    CHECK(result.finish < milliseconds(11));
    CHECK(result.why.at(0).bound_by == BoundBy::window);
    CHECK(result.why.at(0).knob == "a larger network.transport.window");
  }
  const RunResult short_of_it = with("{kind: tcp, window: 0.8 MB}", "100 MB"),
                  enough = with("{kind: tcp, window: 2 MB}", "100 MB");
  CHECK(short_of_it.finish > microseconds(12'500));
  CHECK(short_of_it.why.at(0).bound_by == BoundBy::window);
  CHECK(enough.why.at(0).bound_by == BoundBy::bandwidth);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace orrery
