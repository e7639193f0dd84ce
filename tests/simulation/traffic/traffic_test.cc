// Flows without a job: what is drawn, and what queues make of it, against numbers by hand.
#include <catch2/catch.hpp>

#include <numeric>

#include "frontends/report/traffic_report.h"
#include "network/backends.h"
#include "network/topology/builders/tree.h"
#include "simulation/simulate_traffic.h"
#include "simulation/traffic/flows.h"
#include "tests/problem_keys.h"

namespace orrery {
namespace {

using test::keys;

// A star of 100 Gb/s (80 ps a byte) and 500 ns a link.
Experiment star(std::int32_t npus, const std::string& backend) {
  Experiment experiment;
  experiment.name = "star";
  experiment.topology = {{{"fabric", LevelKind::switched, npus, gigabits_per_second(100),
                           nanoseconds(500), Scope::scale_out}}};
  experiment.network.backend = backend;
  return experiment;
}

TrafficSpec fixed_size(Bytes size, double load, Duration length) {
  TrafficSpec traffic;
  traffic.flows.sizes = {{size, 1.0}};
  traffic.flows.load = load;
  traffic.flows.length = length;
  return traffic;
}

const FlowSizeRow& row(const TrafficResult& result, const std::string& flows) {
  for (const FlowSizeRow& one : result.rows)
    if (one.flows == flows) return one;
  FAIL("no row " << flows);
  return result.rows.front();
}

// --- Sizes ---

// Trapezoids. Web search: 750 + 750 + 2,500 + 4,000 + 8,450 + 9,800 + 60,000 + 150,000 + 350,000 +
// 525,000 + 600,000. Storage: 458.6 + 2,776.8 + 1,368 + 2,366.4 + 1,468.8 + 3,110.4 + 1,459.2 +
// 27,861.6. Hadoop: given with its source.
TEST_CASE("the distributions have the means that papers give") {
  CHECK(mean_size(find_sizes("websearch")->points) == Approx(1'711'250));
  CHECK(mean_size(find_sizes("alistorage")->points) == Approx(40'869.8));
  CHECK(mean_size(find_sizes("fbhadoop")->points) == Approx(120'421).epsilon(1e-4));
  CHECK(mean_size(std::vector<SizePoint>{{bytes(700), 1.0}}) == Approx(700));
  // Half of 100 B, half uniform up to 300 B: 50 + 100.
  CHECK(mean_size(std::vector<SizePoint>{{bytes(100), 0.5}, {bytes(300), 1.0}}) == Approx(150));
}

TEST_CASE("sizes between two points are uniform") {
  const std::vector<SizePoint>& points = find_sizes("websearch")->points;
  CHECK(size_at(points, 0) == bytes(1));  // 0, but a flow has a byte
  CHECK(size_at(points, 0.15) == bytes(10'000));
  CHECK(size_at(points, 0.175) == bytes(15'000));
  CHECK(size_at(points, 0.985) == bytes(20'000'000));
  const std::vector<SizePoint> step{{bytes(100), 0.5}, {bytes(300), 1.0}};
  CHECK(size_at(step, 0.49) == bytes(100));
  CHECK(size_at(step, 0.75) == bytes(200));
}

// --- Arrivals ---

// 16 NPUs at half of 12.5 GB/s with 1 MB a flow start 100,000 flows a second: 10,000 in 100 ms,
// with a standard deviation of 100. In each ms 100, with a variance of 100 (of 100 intervals: with
// a standard deviation of 14).
TEST_CASE("flows arrive at the rate that the load asks for, at random") {
  const Topology topology(star(16, "fluid").topology);
  const TrafficSpec traffic = fixed_size(bytes(1'000'000), 0.5, milliseconds(100));
  const FabricCapacity capacity = capacity_of(topology);
  CHECK(expected_flows(traffic, capacity) == Approx(10'000));
  const std::vector<Flow> flows = flows_of(traffic, capacity, 16, 1);
  CHECK(flows.size() > 9'600);
  CHECK(flows.size() < 10'400);
  std::vector<double> counts(100);
  for (const Flow& flow : flows) {
    counts[static_cast<std::size_t>(flow.start.since_start.value / 1'000'000'000)] += 1;
    CHECK(flow.source != flow.target);
  }
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / 100;
  double squares = 0;
  for (const double count : counts) squares += (count - mean) * (count - mean);
  CHECK(squares / 99 > 50);
  CHECK(squares / 99 < 150);
  CHECK(std::ranges::is_sorted(flows, {}, &Flow::start));
}

TEST_CASE("what an NPU starts does not depend on how many others there are") {
  const TrafficSpec traffic = fixed_size(bytes(100'000), 0.3, milliseconds(1));
  std::vector<Time> of_four, of_eight;
  for (const auto& [npus, starts] : {std::pair(4, &of_four), std::pair(8, &of_eight)})
    for (const Flow& flow :
         flows_of(traffic, capacity_of(Topology(star(npus, "fluid").topology)), npus, 7))
      if (flow.source == NodeId{2}) starts->push_back(flow.start);
  CHECK(!of_four.empty());
  CHECK(of_four == of_eight);
}

TEST_CASE("in a permutation each NPU sends to one and receives from one") {
  TrafficSpec traffic = fixed_size(bytes(1'000), 0.5, milliseconds(1));
  traffic.flows.pattern = FlowPattern::permutation;
  std::vector<std::int32_t> target(8, -1), source(8, -1);
  for (const Flow& flow :
       flows_of(traffic, capacity_of(Topology(star(8, "fluid").topology)), 8, 3)) {
    const auto from = static_cast<std::size_t>(flow.source.value);
    const auto to = static_cast<std::size_t>(flow.target.value);
    CHECK((target[from] == -1 || target[from] == flow.target.value));
    CHECK((source[to] == -1 || source[to] == flow.source.value));
    target[from] = flow.target.value;
    source[to] = flow.source.value;
    CHECK(from != to);
  }
  CHECK(std::ranges::find(target, -1) == target.end());
}

// 2 % of 8 x 12.5 GB/s over 4 x 250 kB: 2,000 a second, 200 in 100 ms, of four flows each.
TEST_CASE("an incast is several different senders and one receiver, at once") {
  TrafficSpec traffic = fixed_size(bytes(1'000), 0, milliseconds(100));
  traffic.incast = {4, bytes(250'000), 0.02};
  const std::vector<Flow> flows =
      flows_of(traffic, capacity_of(Topology(star(8, "fluid").topology)), 8, 5);
  CHECK(flows.size() % 4 == 0);
  CHECK(flows.size() / 4 > 150);
  CHECK(flows.size() / 4 < 250);
  for (std::size_t i = 0; i < flows.size(); i += 4) {
    std::vector<std::int32_t> members{flows[i].target.value};
    for (std::size_t k = i; k < i + 4; ++k) {
      CHECK(flows[k].start == flows[i].start);
      CHECK(flows[k].target == flows[i].target);
      CHECK(flows[k].incast);
      members.push_back(flows[k].source.value);
    }
    std::ranges::sort(members);
    CHECK(std::ranges::adjacent_find(members) == members.end());
  }
}

// Two leaves of two hosts, two spines: 4 uplinks of 12.5 GB/s, those down to the leaves not
// counted.
TEST_CASE("uplinks are links from switches with NPUs to other switches") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  const TreeSpec spec{.node = {}, .tiers = {{"leaf", 2, 2, wire}, {"spine", 2, 0, wire}}};
  const FabricCapacity capacity = capacity_of(Topology(build_tree(spec)));
  CHECK(capacity.host == Approx(12.5e9));
  CHECK(capacity.hosts == Approx(50e9));
  CHECK(capacity.uplinks == Approx(50e9));
  CHECK(capacity_of(Topology(star(4, "fluid").topology)).uplinks == 0);
}

// --- Times ---

TEST_CASE("percentiles are values that were there") {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const RatioDistribution all = distribution_of(values);
  CHECK(all.mean == Approx(50.5));
  CHECK(all.p50 == 50);
  CHECK(all.p95 == 95);
  CHECK(all.p99 == 99);
  std::vector<Duration> one{nanoseconds(7)};
  CHECK(distribution_of(one).p99 == nanoseconds(7));
}

// Two NPUs that use a thousandth of their links: flows of 84 us, which do not meet.
TEST_CASE("a flow that meets no other one has a slowdown of 1") {
  for (const BackendEntry& backend : builtin_backends()) {
    INFO(backend.name);
    const TrafficResult result = simulate_traffic(
        star(2, std::string(backend.name)), fixed_size(bytes(1 << 20), 0.001, milliseconds(400)));
    REQUIRE(result.counted > 3);
    CHECK(result.unfinished == 0);
    const RatioDistribution slowdown = row(result, "all").slowdown;
    // TCP's window is open when a connection is used again.
    CHECK(slowdown.mean <= 1);
    CHECK(slowdown.mean >= (backend.traits->has_packets ? 0.9 : 1));
    CHECK(slowdown.p99 <= 1);
  }
}

// Two flows of S = 1 MiB share the receiver's link: 1 us + 2 S/B against 1 us + S/B, S/B = 83.886
// us: 168.772 / 84.886 = 1.98822.
TEST_CASE("two flows at once take twice the bytes") {
  TrafficSpec traffic = fixed_size(bytes(1'000), 0, milliseconds(400));
  traffic.incast = {2, bytes(1 << 20), 0.001};
  const TrafficResult result = simulate_traffic(star(3, "fluid"), traffic);
  const FlowSizeRow& incast = row(result, "incast");
  CHECK(incast.count >= 4);
  CHECK(incast.time.p50 == picoseconds(168'772'160));
  CHECK(incast.slowdown.mean == Approx(1.98822).epsilon(1e-5));
}

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

TEST_CASE("flows of the warm-up are carried, and not counted") {
  TrafficSpec traffic = fixed_size(bytes(100'000), 0.3, milliseconds(2));
  const TrafficResult all = simulate_traffic(star(4, "fluid"), traffic);
  traffic.flows.warm_up = milliseconds(1);
  const TrafficResult second_half = simulate_traffic(star(4, "fluid"), traffic);
  CHECK(all.fingerprint == second_half.fingerprint);
  CHECK(all.counted == all.started);
  CHECK(second_half.counted < all.counted);
  CHECK(row(second_half, "all").count == second_half.counted);
}

TEST_CASE("the same seed gives the same flows and times, on every backend") {
  const TrafficSpec traffic = fixed_size(bytes(30'000), 0.5, milliseconds(1));
  for (const BackendEntry& backend : builtin_backends()) {
    Experiment experiment = star(4, std::string(backend.name));
    const std::string once = simulate_traffic(experiment, traffic).fingerprint;
    CHECK(once == simulate_traffic(experiment, traffic).fingerprint);
    experiment.seed = 2;
    CHECK(once != simulate_traffic(experiment, traffic).fingerprint);
  }
}

// One flow from NPU 1 to NPU 0 (address 11.0.1.1 + ...): 2 us + 83.886 us, shown in nanoseconds.
TEST_CASE("fct.txt has the columns of HPCC's simulator") {
  TrafficResult result;
  result.flows = {{{microseconds(3)},
                   bytes(1 << 20),
                   {1},
                   {0},
                   false,
                   Time{microseconds(3) + picoseconds(84'886'080)}}};
  result.idle = {picoseconds(84'886'080)};
  CHECK(flows_hpcc(result) == "0b000101 0b000001 10000 100 1048576 3000 84886 84886\n");
}

TEST_CASE("traffic that contradicts itself names its keys") {
  const TopologySpec topology = star(4, "fluid").topology;
  TrafficSpec traffic = fixed_size(bytes(100), 0.5, milliseconds(1));
  CHECK(keys(problems_of(traffic, topology)) == "");
  traffic.flows.warm_up = milliseconds(1);
  traffic.flows.of = LoadOf::uplinks;
  traffic.incast = {4, bytes(1), 0.1};  // and a fifth that receives
  CHECK(keys(problems_of(traffic, topology)) == "flows.warm_up incast.senders flows.of");
  traffic = fixed_size(bytes(100), 0.5, milliseconds(1));
  traffic.flows.sizes = {{bytes(200), 0.5}, {bytes(100), 1.0}};
  CHECK(keys(problems_of(traffic, topology)) == "flows.sizes[1]");
  traffic.flows.sizes = {{bytes(200), 0.5}};
  CHECK(keys(problems_of(traffic, topology)) == "flows.sizes[0]");
  traffic = fixed_size(bytes(1), 1, milliseconds(1'000));  // 5 x 10^10
  CHECK(keys(problems_of(traffic, topology)) == "flows.for");
}

}  // namespace
}  // namespace orrery
