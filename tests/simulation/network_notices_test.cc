#include "simulation/result/network_notices.h"

#include <catch2/catch.hpp>

#include "network/topology/topology.h"

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
