// Two servers on rails that nothing joins, and a message from one rail to another.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

// 100 MB from NPU 0 to NPU 9, which is on rail 1: NPU 1 passes it on. A NIC has 50 GB/s: 2 ms. The
// way has two links of 0.2 us to NPU 1, the bus to its NIC with 0.4 us, two links of 0.5 us and the
// bus at the other end, 2.2 us; the injection takes 20 ns.
TEST_CASE("a message between rails that nothing joins goes through an NPU of its server") {
  const std::string file = build_folder() + "/unjoined_rails_test.yaml";
  std::ofstream(file) << R"(platform: {nodes: 2, server: hgx-h100}
workload:
  program:
    - {ranks: 0, operations: [{send: 100 MB, to: 9}]}
    - {ranks: 9, operations: [{receive: 100 MB, from: 0}]}
)";
  for (const char* backend : {"analytical", "fluid"}) {
    const RunResult result =
        simulate(load_experiment(file, {{std::string("network.backend=") + backend}}));
    CHECK(result.finish == nanoseconds(2'002'220));
    // The NIC that passes it on is free for others, but for the backend that shares links.
    const auto told = std::ranges::count_if(result.notices, [](const std::string& notice) {
      return notice.find("another NPU of the sender's server (PXN)") != std::string::npos;
    });
    CHECK(told == (std::string(backend) == "analytical" ? 1 : 0));
  }
}

}  // namespace
}  // namespace orrery
