#include "simulation/result/network_notices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "network/topology/topology.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

TEST_CASE("pFabric over a class without its order is told") {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::pfabric;
  CHECK(setting_notices(spec, {}).empty());  // classes of its own
  PacketClass data;
  data.priority = spec.transport.roce.priority;
  spec.switches.classes = {data};
  REQUIRE(setting_notices(spec, {}).size() == 1);
  CHECK_THAT(setting_notices(spec, {})[0], Catch::Contains("least_first: true"));
  spec.switches.classes[0].least_first = true;
  CHECK(setting_notices(spec, {}).empty());
}

// Two faults after the run are "1 s or later"; one is not, however many there were in the run.
TEST_CASE("faults after the run are told, later ones if there are some") {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched, 2, gigabits_per_second(100),
                                 nanoseconds(500), Scope::scale_out}};
  const Topology topology(experiment.topology);
  const auto fault_at = [&](std::int64_t ms, LinkCondition condition) {
    Fault fault;
    fault.at = Time{} + milliseconds(ms);
    fault.condition = condition;
    experiment.network.routing.faults.push_back(fault);
  };
  const auto told = [&] { return idle_notices(experiment, topology, milliseconds(10)); };
  fault_at(1, LinkCondition::down);
  fault_at(2, LinkCondition::up);
  CHECK(told().empty());
  fault_at(1'000, LinkCondition::down);
  CHECK_THAT(told().at(0), Catch::Contains("begins at 1 s changes nothing"));
  fault_at(2'000, LinkCondition::down);
  CHECK_THAT(told().at(0), Catch::Contains("begins at 1 s or later changes nothing"));
}

// Six NPUs on four leaves are two on each, which three leaves hold; eight fill all four.
TEST_CASE("leaves that are written and not built are told") {
  const std::string file = build_folder() + "/unbuilt_leaves_test.yaml";
  const auto told = [&](const char* leaf_spine) {
    std::ofstream(file) << "platform: {topology: {leaf_spine: {" << leaf_spine
                        << ", spines: 1, bandwidth: 1 GB/s}}}\n"
                           "workload: {program: [{operations: [{all_reduce: 1 MB}]}]}\n";
    const Experiment experiment = load_experiment(file, {});
    return idle_notices(experiment, Topology(experiment.topology), milliseconds(1));
  };
  REQUIRE(told("leaves: 4, nodes: 6").size() == 1);
  CHECK_THAT(told("leaves: 4, nodes: 6")[0], Catch::Contains("4 are written, and 3 are built") &&
                                                 Catch::Contains("write leaves: 3"));
  CHECK_THAT(told("leaves: 6, nodes: 4").at(0), Catch::Contains("6 are written, and 4 are built"));
  CHECK(told("leaves: 4, nodes: 8").empty());
  CHECK(told("nodes: 8").empty());
}

TEST_CASE("DCTCP without marks and an MTU of another transport than TCP are told") {
  const auto told = [](const std::string& network) {
    const std::string file = build_folder() + "/dctcp_marks_test.yaml";
    std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, nodes: 4, bandwidth: 1 "
                           "GB/s}}}\nworkload: {all_reduce: 1 kB}\nnetwork: {backend: packet, "
                        << network << "}\n";
    return setting_notices(load_experiment(file, {}).network, {});
  };
  const std::string dctcp = "transport: {kind: tcp, congestion_control: dctcp}";
  REQUIRE(told(dctcp).size() == 1);
  CHECK_THAT(told(dctcp)[0], Catch::Contains("switches mark nothing"));
  CHECK(told(dctcp + ", switch: {queue: red}").empty());
  CHECK(told("transport: {kind: roce, congestion_control: dctcp}").empty());
  CHECK(told("transport: {kind: tcp}").empty());
  CHECK_THAT(told("transport: {kind: roce, mtu: 1500 B}").at(0),
             Catch::EndsWith("; of others write network.transport.payload"));
}

// Six ports down are 3:1 with two up, and 6:1 with one: 4 and 5 are built as 3.
TEST_CASE("a taper that whole ports do not give is told") {
  const std::string file = build_folder() + "/unbuilt_taper_test.yaml";
  const auto told = [&](const char* taper) {
    std::ofstream(file)
        << "platform: {topology: {leaf_spine: {leaves: 2, nodes: 12, oversubscription: " << taper
        << ", bandwidth: 1 GB/s}}}\n"
           "workload: {program: [{operations: [{all_reduce: 1 MB}]}]}\n";
    const Experiment experiment = load_experiment(file, {});
    return idle_notices(experiment, Topology(experiment.topology), milliseconds(1));
  };
  for (const char* exact : {"3", "3:1", "6", "1"}) CHECK(told(exact).empty());
  REQUIRE(told("5").size() == 1);
  CHECK_THAT(
      told("5")[0],
      Catch::Contains("5 is written, and 3 is built: the first leaf has 6 links down and 2 up"));
  CHECK_THAT(
      told("7").at(0),
      Catch::Contains("7 is written, and 6 is built: the first leaf has 6 links down and 1 up"));
}

// 1 MB over the four links of two tiers, 20 us each at 50 GB/s: 80 us where every node waits for
// all of it, and 20 + 3 x 0.2 in pieces of 10 kB.
TEST_CASE("messages that switches store whole are told") {
  const std::string file = build_folder() + "/stored_whole_test.yaml";
  const auto run = [&](const char* network) {
    std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, plugs: 1, spines: 1, "
                           "bandwidth: 50 GB/s, latency: 0 ns}}}\n"
                           "workload: {program: [{ranks: 0, operations: [{send: 1 MB, to: 1}]}, "
                           "{ranks: 1, operations: [{receive: 1 MB, from: 0}]}]}\nnetwork: "
                        << network;
    return simulate(load_experiment(file, {}));
  };
  const auto told = [](const RunResult& result) {
    return std::ranges::any_of(result.notices, [](const std::string& notice) {
      return notice.find("Write network.queue.segment") != std::string::npos;
    });
  };
  const Duration injections = nanoseconds(2 * 10);  // system.injection_latency
  const RunResult whole = run("{backend: queue}");
  CHECK(whole.finish == microseconds(80) + injections);
  CHECK_THAT(whole.why.front().knob, Catch::StartsWith("network.queue.segment"));
  CHECK(told(whole));
  const RunResult pieces = run("{backend: queue, queue: {segment: 10 kB}}");
  CHECK(pieces.finish == nanoseconds(20'600) + injections);
  CHECK_FALSE(told(pieces));
}

TEST_CASE("packets that overtake each other are told where go-back-N sends them again") {
  NetworkSpec spec;
  spec.backend = "packet";
  spec.routing.policy = RoutingPolicy::spray;
  CHECK(disorder_notices(spec, 0).empty());
  CHECK_THAT(disorder_notices(spec, 1).at(0),
             Catch::Contains("under spray, and go_back_n") &&
                 Catch::Contains("write network.transport.recovery: selective_repeat"));
  spec.transport.roce.recovery = RecoveryKind::selective_repeat;
  CHECK(disorder_notices(spec, 1).empty());
  spec.transport.roce.recovery = RecoveryKind::go_back_n;
  spec.transport.kind = TransportKind::ndp;
  CHECK(disorder_notices(spec, 1).empty());
  spec.transport.kind = TransportKind::roce;
  spec.routing.policy = RoutingPolicy::ecmp;
  CHECK(disorder_notices(spec, 1).empty());
}

}  // namespace
}  // namespace orrery
