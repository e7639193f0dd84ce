// What a file of flows can ask of switches.
#include <catch2/catch.hpp>

#include "tests/simulation/traffic/traffic_runs.h"

namespace orrery {
namespace {

using test::fixed_size, test::star;

// 8 links of 12.5 GB/s: each is given its headroom, so 10 kB for all of them cannot be. The fabric
// was made of it all the same, and lost what acknowledges.
TEST_CASE("flows do not run on switches without room for their headroom") {
  Experiment experiment = star(8, "packet");
  experiment.network.transport.kind = TransportKind::roce;
  experiment.network.switches.buffer = bytes(10'000);
  experiment.network.given = {{"network.switch.buffer", SettingGroup::switch_buffer}};
  CHECK_THROWS_WITH(
      simulate_traffic(experiment, fixed_size(bytes(1'000'000), 0.5, milliseconds(1)), {}),
      Catch::Contains("has 10 kB of memory, and reserve and headroom") &&
          Catch::Contains("write more than"));
}

}  // namespace
}  // namespace orrery
