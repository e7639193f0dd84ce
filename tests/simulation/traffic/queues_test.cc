// Links as queues: mean times of flows against the formulas of queueing theory.
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "tests/simulation/traffic/traffic_runs.h"

namespace orrery {
namespace {

using test::fixed_size, test::row, test::star;

// A permutation of two: each link is a queue of its own, at half load. 100 kB take 8 us, and 9 us
// with latency. First come first served, constant service (Pollaczek and Khinchine): the mean wait
// is rho/(2 (1 - rho)) of 8 us, 4 us: 13/9 = 1.444. Shared fairly: 8 us / (1 - rho) = 16 us,
// whatever the distribution: 17/9 = 1.889. 12,500 flows: 3 % is more than three standard errors.
TEST_CASE("mean slowdowns are those of M/D/1 queues") {
  TrafficSpec traffic = fixed_size(bytes(100'000), 0.5, milliseconds(100));
  traffic.flows.pattern = FlowPattern::permutation;
  const auto mean = [&](const char* backend) {
    return row(simulate_traffic(star(2, backend), traffic), "all").slowdown.mean;
  };
  CHECK(mean("analytical") == Approx(1.444).epsilon(0.03));
  CHECK(mean("fluid") == Approx(1.889).epsilon(0.03));
}

// Processor sharing is insensitive: with any sizes the mean time of transfer is 1/(1 - rho) of that
// alone, size by size. Half of 20 kB (1.6 us), half of 180 kB (14.4 us) at load 0.5: 4.2/2.6
// = 1.615 and 29.8/15.4 = 1.935.
TEST_CASE("where links are shared, slowdowns do not depend on the distribution") {
  TrafficSpec traffic = fixed_size(bytes(1), 0.5, milliseconds(200));
  traffic.flows.sizes = {{bytes(20'000), 0.5}, {bytes(180'000), 0.5}, {bytes(180'000), 1.0}};
  traffic.flows.pattern = FlowPattern::permutation;
  const TrafficResult result = simulate_traffic(star(2, "fluid"), traffic);
  CHECK(row(result, "to 20 kB").slowdown.mean == Approx(1.615).epsilon(0.04));
  CHECK(row(result, "to 180 kB").slowdown.mean == Approx(1.935).epsilon(0.04));
}

std::vector<TrafficResult> ten_seeds(Experiment experiment, const TrafficSpec& traffic) {
  std::vector<TrafficResult> results;
  for (experiment.seed = 1; experiment.seed <= 10; ++experiment.seed)
    results.push_back(simulate_traffic(experiment, traffic));
  return results;
}

// Mean of independent runs, and half of the interval that holds what they are samples of with
// 99.9 % (Student's t with nine degrees of freedom: 4.781).
struct Interval {
  double mean = 0, half = 0;
};
template <class Measure>
Interval interval_of(const std::vector<TrafficResult>& results, Measure measure) {
  Interval interval;
  for (const TrafficResult& result : results) interval.mean += measure(result) / 10;
  double squares = 0;
  for (const TrafficResult& result : results)
    squares += (measure(result) - interval.mean) * (measure(result) - interval.mean);
  interval.half = 4.781 * std::sqrt(squares / 9 / 10);
  return interval;
}

// Two NPUs without latency that send to each other: two queues with Poisson arrivals, sizes of
// storage (E[X] = 40,869.8 B, E[X^2]/E[X] = 940,942 B: many small flows and a few large ones).
TrafficSpec storage(double load, Duration length) {
  TrafficSpec traffic;
  traffic.flows.sizes = find_sizes("alistorage")->points;
  traffic.flows.load = load;
  traffic.flows.pattern = FlowPattern::permutation;
  traffic.flows.length = length;
  return traffic;
}
Experiment without_latency(const char* backend) {
  Experiment experiment = star(2, backend);
  experiment.topology.levels[0].latency = Duration{};
  return experiment;
}

// M/G/1 with processor sharing: a link of rate B that its n flows share fairly. The number of flows
// has the distribution (1 - r) r^n whatever that of the sizes is (Kelly, "Reversibility and
// stochastic networks", 1979, 3.3: a symmetric queue). An arriving flow sees it, too, and at all
// times of its stay the others are as many as that, so while it is served by B/(n + 1) a flow of x
// bytes takes x/B (1 + E[n]) = x/B / (1 - r) in the mean: the same slowdown for every size and
// every distribution. At 0.5: 2; at 0.8: 5. Runs end with r/(1 - r) flows in flight of 30,000.
TEST_CASE("M/G/1 shared fairly: every size has the mean slowdown 1/(1 - load)") {
  for (const double load : {0.5, 0.8}) {
    INFO(load);
    const std::vector<TrafficResult> results =
        ten_seeds(without_latency("fluid"), storage(load, milliseconds(200)));
    for (const char* flows : {"all", "to 4 kB", "to 2 MB"}) {
      const Interval slowdown = interval_of(
          results, [&](const TrafficResult& result) { return row(result, flows).slowdown.mean; });
      CAPTURE(flows, slowdown.mean, slowdown.half);
      CHECK(std::abs(slowdown.mean - 1 / (1 - load)) < slowdown.half);
      CHECK(slowdown.half < 0.12 / (1 - load));
    }
  }
}

// M/G/1 first come, first served (Pollaczek and Khinchine): the mean wait is r E[S^2]/(2 E[S]
// (1 - r)). E[S^2]/E[S] is 940,942 B x 80 ps/B = 75.275 us, E[S] = 3.2696 us. At 0.5 the wait is
// 37.638 us and the time 40.907 us: 12.5 times the transfer, where sharing fairly gives 2.
TEST_CASE("M/G/1 first come, first served: the mean wait follows the squares of the sizes") {
  const std::vector<TrafficResult> results =
      ten_seeds(without_latency("analytical"), storage(0.5, milliseconds(400)));
  const Interval time = interval_of(results, [](const TrafficResult& result) {
    return static_cast<double>(row(result, "all").time.mean.value) * 1e-6;
  });
  CAPTURE(time.mean, time.half);
  CHECK(std::abs(time.mean - 40.907) < time.half);
  CHECK(time.half < 0.1 * 40.907);
}

}  // namespace
}  // namespace orrery
