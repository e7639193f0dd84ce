// Transport `ideal`: no protocol, but links keep their bandwidth. Whole runs.
#include <catch2/catch.hpp>

#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

RunResult exchanged(const std::string& topology, const std::vector<Override>& overrides = {}) {
  const std::string file = build_folder() + "/ideal_transport_test.yaml";
  std::ofstream(file) << "platform: {topology: " + topology +
                             "}\n"
                             "network: {backend: packet, transport: {kind: ideal}}\n"
                             "system: {protocol: none, algorithms: direct, chunks: 1, "
                             "injection_latency: 0 us, local_injection_latency: 0 us}\n"
                             "workload: {program: [{operations: [{all_to_all: 8 MB}]}]}\n";
  return simulate(load_experiment(file, overrides));
}

double fullest(const RunResult& result) { return result.links.front().utilisation; }

constexpr const char* two_leaves =
    "{leaf_spine: {leaves: 2, spines: 1, plugs: 4, bandwidth: 100 Gb/s, latency: 1 us}}";

// Each of 8 NPUs sends 7 x 1 MB: 0.56 ms at 12.5 GB/s. Of that 4 MB go to the other leaf, 16 MB
// over its one uplink: 1.28 ms, and four links of 1 us.
TEST_CASE("no protocol makes an uplink carry more than its bandwidth") {
  const RunResult result = exchanged(two_leaves);
  CHECK(result.finish == microseconds(1'284));
  CHECK(result.bound == microseconds(1'280));
  CHECK(result.bound_by == "spine");
  CHECK(fullest(result) == Approx(1'280.0 / 1'284));
  CHECK(result.finish == exchanged(two_leaves, {{"network.backend=fluid"}}).finish);
}

// Ports of NPUs alone are busy for 560 us, and the account says what that leaves out.
TEST_CASE("ideal: analytical has ports alone, and its bound is not cut to the time of the run") {
  const RunResult result = exchanged(two_leaves, {{"network.transport.ideal=analytical"}});
  CHECK(result.finish == microseconds(564));
  CHECK(result.bound == microseconds(1'280));
  REQUIRE(!result.notices.empty());
  CHECK_THAT(result.notices.front(),
             Catch::Contains("network.transport.ideal: analytical does not model contention"));
}

// On one switch every link is a port: the analytical model has all that is shared, and keeps the
// order of messages. 7 MB at 12.5 GB/s and two links.
TEST_CASE("where every link is a port, ideal is the analytical model") {
  const char* one_switch =
      "{levels: [{kind: switch, size: 8, bandwidth: 100 Gb/s, latency: 1 us}]}";
  const RunResult result = exchanged(one_switch);
  CHECK(result.finish == microseconds(562));
  CHECK(result.fingerprint == exchanged(one_switch, {{"network.backend=analytical"}}).fingerprint);
}

}  // namespace
}  // namespace orrery
