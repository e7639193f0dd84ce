// Packets of one flow over several ways: what RoCE's recovery makes of them.
#include <catch2/catch.hpp>

#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Catch::Contains;

// Two leaves of four NPUs, two spines: packets of a flow overtake each other on the way.
Experiment sprayed(const std::vector<Override>& overrides = {}) {
  const std::string file = build_folder() + "/disorder_test.yaml";
  std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, plugs: 4, spines: 2, "
                         "bandwidth: 100 Gb/s}}}\n"
                         "network: {transport: roce, routing: {policy: spray}}\n"
                         "workload: {program: [{operations: [{all_to_all: 16 MB}]}]}\n";
  return load_experiment(file, overrides);
}

ResolvedValue recovery_of(const Experiment& experiment) {
  return *std::ranges::find(experiment.resolved, "network.transport.recovery",
                            &ResolvedValue::path);
}

const Override go_back{"network.transport.recovery=go_back_n"};

}  // namespace

TEST_CASE("where switches spray, RoCE's recovery that is not stated takes no disorder for loss") {
  const Experiment experiment = sprayed();
  CHECK(experiment.network.transport.roce.recovery == RecoveryKind::selective_repeat);
  CHECK(recovery_of(experiment).value == "selective_repeat");
  CHECK(recovery_of(experiment).origin == "chosen, as packets overtake under spray");
  const Experiment stated = sprayed({go_back});
  CHECK(stated.network.transport.roce.recovery == RecoveryKind::go_back_n);
  CHECK(recovery_of(stated).origin == "--set");
  const Experiment in_order = sprayed({{"network.routing.policy=ecmp"}});
  CHECK(in_order.network.transport.roce.recovery == RecoveryKind::go_back_n);
  CHECK(recovery_of(in_order).origin == "default");
  // What selective_repeat has is no idle setting.
  const Experiment late = sprayed({{"network.transport.reorder_tolerance=300"}});
  for (const GivenSetting& setting : late.network.given) CHECK(setting.needs.empty());
}

// Of 16 MB a rank sends half to the other leaf: 8 MB of each of 4 over two uplinks of 12.5 GB/s
// take 1.28 ms, with the headers of packets of 4 kB some hundredths more.
TEST_CASE("go_back_n that is stated is told, named and kept out of the lower bound") {
  const RunResult chosen = simulate(sprayed());
  CHECK_THAT(chosen.backend_because, Contains("; recovery: selective_repeat, chosen, as packets "
                                              "overtake under spray"));
  CHECK(chosen.notices.empty());
  CHECK(chosen.finish < microseconds(1'400));
  for (const char* control : {"dcqcn", "none"}) {
    INFO(control);
    const RunResult again = simulate(
        sprayed({go_back, {std::string("network.transport.congestion_control=") + control}}));
    REQUIRE(again.packets->retransmissions > 0);
    CHECK(again.finish > chosen.finish * 3);
    CHECK_THAT(again.backend_because, !Contains("recovery"));
    CHECK_THAT(again.notices.at(0), Contains("write network.transport.recovery: selective_repeat"));
    const auto names_it = [](const TimePart& part) {
      return part.knob.starts_with("network.transport.recovery: ");
    };
    CHECK(std::ranges::any_of(again.why, names_it));
    CHECK(again.bound <= chosen.finish);
  }
}

}  // namespace orrery
