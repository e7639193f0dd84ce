// Whether flows divide over the paths of the fabric.
#include <algorithm>
#include <catch2/catch.hpp>

#include "network/topology/builders/tree.h"
#include "simulation/simulate_traffic.h"
#include "tests/simulation/traffic/traffic_runs.h"

namespace orrery {
namespace {

using test::fixed_size, test::star;

// Two leaves with two spines have two paths between them; with one spine there is one.
TEST_CASE("flows that take all paths at once say so, unless the file names a policy") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  const auto says_so = [&](std::int32_t spines, RoutingPolicy policy) {
    Experiment experiment = star(4, "fluid");
    experiment.topology =
        build_tree({.node = {}, .tiers = {{"leaf", 2, spines, wire}, {"spine", 2, 0, wire}}});
    experiment.network.routing.policy = policy;
    const auto notices =
        simulate_traffic(experiment, fixed_size(bytes(25'000), 0.2, milliseconds(1))).notices;
    return std::ranges::any_of(notices, [](const std::string& notice) {
      return notice.find("all shortest paths at once") != std::string::npos;
    });
  };
  CHECK(says_so(2, RoutingPolicy::automatic));
  CHECK_FALSE(says_so(1, RoutingPolicy::automatic));
  CHECK_FALSE(says_so(2, RoutingPolicy::ecmp));
}

// At 30 % of load a third of the flows of each pair begin while one is under way, half of these
// while a larger one is. Flows of one size do not wait for larger ones.
TEST_CASE("flows that wait for a larger one of their pair say so, unless each has a connection") {
  const auto says_so = [](const char* backend, TransportKind kind, std::int32_t connections,
                          bool one_size = false) {
    Experiment experiment = star(2, backend);
    experiment.network.transport.kind = kind;
    experiment.network.transport.roce.qps_per_pair = connections;
    TrafficSpec traffic = fixed_size(bytes(25'000), 0.3, milliseconds(2));
    if (!one_size) traffic.flows.sizes = {{bytes(1'000), 0}, {bytes(49'000), 1}};
    const auto notices = simulate_traffic(experiment, traffic).notices;
    return std::ranges::any_of(notices, [](const std::string& notice) {
      return notice.find("network.transport.qps_per_pair: 128 gives each its own") !=
             std::string::npos;
    });
  };
  CHECK(says_so("packet", TransportKind::roce, 1));
  CHECK_FALSE(says_so("packet", TransportKind::roce, 128));
  CHECK_FALSE(says_so("packet", TransportKind::roce, 1, true));
  CHECK_FALSE(says_so("packet", TransportKind::uet, 1));
  CHECK_FALSE(says_so("fluid", TransportKind::roce, 1));
}

}  // namespace
}  // namespace orrery
