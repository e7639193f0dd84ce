// What PIAS and pFabric are for: small flows of web search are there sooner than under DCTCP.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "simulation/simulate_traffic.h"
#include "simulation/traffic/flows.h"
#include "tests/simulation/traffic/traffic_runs.h"

namespace orrery {
namespace {

// DCTCP with the marks that PIAS has, and a pair for each flow.
Experiment with(TransportKind kind, std::uint64_t seed) {
  Experiment experiment = test::star(16, "packet");
  experiment.seed = seed;
  experiment.network.transport.kind = kind;
  if (kind != TransportKind::roce) return experiment;
  experiment.network.transport.congestion_control = "dctcp";
  experiment.network.transport.roce.recovery = RecoveryKind::selective_repeat;
  experiment.network.transport.roce.qps_per_pair = 256;
  PacketClass data, answers;
  data.priority = 3;
  data.ecn = EcnRamp{
      .minimum = bytes(9'750), .maximum = bytes(9'750), .per_gigabit = true, .on_leaving = false};
  answers.priority = 6;
  answers.carries = ClassContent::control;
  experiment.network.switches.classes = {data, answers};
  return experiment;
}

// The 99th percentile of the times of flows of up to 100 kB.
Duration p99_of_small(TransportKind kind, std::uint64_t seed) {
  TrafficSpec traffic;
  traffic.flows.sizes = find_sizes("websearch")->points;
  traffic.flows.load = 0.7;
  traffic.flows.length = milliseconds(5);
  traffic.flows.warm_up = microseconds(500);
  const TrafficResult result = simulate_traffic(with(kind, seed), traffic, {});
  std::vector<Duration> times;
  for (const Flow& flow : result.flows)
    if (flow.size <= bytes(100'000) && flow.start.since_start >= microseconds(500))
      times.push_back(*flow.finish - flow.start);
  REQUIRE(times.size() > 100);
  std::ranges::sort(times);
  return times[(times.size() * 99 + 99) / 100 - 1];
}

TEST_CASE("small flows of web search: pFabric is before PIAS, and PIAS before DCTCP", "[slow]") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Duration dctcp = p99_of_small(TransportKind::roce, seed);
    const Duration pias = p99_of_small(TransportKind::pias, seed);
    const Duration pfabric = p99_of_small(TransportKind::pfabric, seed);
    INFO("seed " << seed << ": " << dctcp.value << ", " << pias.value << ", " << pfabric.value);
    CHECK(pfabric <= pias);
    CHECK(pias <= dctcp);
  }
}

TEST_CASE("flows that start at once: one of each NPU, and in a permutation one to each") {
  TrafficSpec traffic = test::fixed_size(bytes(1'000'000), 0, milliseconds(1));
  traffic.flows.length.reset();
  traffic.flows.warm_up.reset();
  traffic.flows.pattern = FlowPattern::permutation;
  traffic.flows.at_once = true;
  const TrafficResult result = simulate_traffic(test::star(16, "fluid"), traffic, {});
  REQUIRE(result.flows.size() == 16);
  std::vector<int> received(16);
  for (const Flow& flow : result.flows) {
    CHECK(flow.start == Time{});
    ++received[static_cast<std::size_t>(flow.target.value)];
  }
  CHECK(std::ranges::all_of(received, [](int flows) { return flows == 1; }));
  CHECK(result.counted == 16);
  CHECK(result.notices.empty());
}

}  // namespace
}  // namespace orrery
