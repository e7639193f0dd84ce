// Flows without a job: what is drawn, and what queues make of it, against numbers by hand.
#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

#include "network/backends.h"
#include "network/topology/builders/tree.h"
#include "report/traffic_report.h"
#include "simulation/simulate_traffic.h"
#include "simulation/traffic/flows.h"
#include "tests/problem_keys.h"
#include "tests/simulation/traffic/traffic_runs.h"

namespace orrery {
namespace {

using test::fixed_size, test::keys, test::row, test::star;

// --- Sizes ---

// 16 hosts of 12.5 GB/s at half load send 1e11 B a second. In packets of 4,000 B over two links,
// 0.8 us each (packet_cost.h), a second takes 1e11 / 4,000 x 2 x 0.8 us = 40 CPU s.
TEST_CASE("a long run in packets is announced") {
  Experiment experiment = star(16, "packet");
  experiment.network.transport.kind = TransportKind::roce;
  experiment.network.transport.roce.payload = bytes(4'000);
  const auto of = [&](Duration length) { return fixed_size(bytes(1'000'000), 0.5, length); };
  CHECK(packet_seconds(experiment, of(milliseconds(1'000))) == Approx(40));
  CHECK(notice_of_long_run(experiment, of(milliseconds(1'000))).starts_with("about 40 CPU s in"));
  CHECK(notice_of_long_run(experiment, of(milliseconds(100))).empty());
  experiment.network.backend = "fluid";
  CHECK(notice_of_long_run(experiment, of(milliseconds(1'000))).empty());
}

// Trapezoids. Web search: 750 + 750 + 2,500 + 4,000 + 8,450 + 9,800 + 60,000 + 150,000 + 350,000 +
// 525,000 + 600,000. Storage: 458.6 + 2,776.8 + 1,368 + 2,366.4 + 1,468.8 + 3,110.4 + 1,459.2 +
// 27,861.6. Hadoop: given with its source. Data mining, in packets of 1,460 B: 0.5 + 0.15 + 0.25 +
// 0.5 + 13.7 + 59.35 + 1,375.48 + 3,666.67 = 5,116.6.
TEST_CASE("the distributions have the means that papers give") {
  CHECK(mean_size(find_sizes("websearch")->points) == Approx(1'711'250));
  CHECK(mean_size(find_sizes("alistorage")->points) == Approx(40'869.8));
  CHECK(mean_size(find_sizes("hadoop")->points) == Approx(120'421).epsilon(1e-4));
  CHECK(mean_size(find_sizes("datamining")->points) == Approx(1'460 * 5'116.6).epsilon(1e-4));
  CHECK(mean_size(std::vector<SizePoint>{{bytes(700), 1.0}}) == Approx(700));
  // Half of 100 B, half uniform up to 300 B: 50 + 100.
  const std::vector<SizePoint> step{{bytes(100), 0.5}, {bytes(300), 1.0}};
  CHECK(mean_size(step) == Approx(150));
  // Squares: 0.5 x 10,000 + 0.5 x (90,000 + 30,000 + 10,000)/3.
  CHECK(mean_square_size(step) == Approx(26'666.67));
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
  CHECK(flows_a_second(traffic, capacity) == Approx(100'000));
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

// 10,000 flows of one size: a standard deviation of 100, 1 %. Sizes that differ add theirs: the sum
// of n flows, n of a Poisson distribution, has the variance E[n] E[X^2]. Half 100 B, half uniform
// up to 300 B: sqrt(26,667/150^2/n) = 1.0887/sqrt(n). Incasts count as one arrival of all their
// bytes.
TEST_CASE("what is drawn is within the deviations of what is asked for") {
  const Topology topology(star(16, "fluid").topology);
  const FabricCapacity capacity = capacity_of(topology);
  TrafficSpec traffic = fixed_size(bytes(1'000'000), 0.5, milliseconds(100));
  CHECK(drawn_deviation(traffic, capacity) == Approx(0.01));
  traffic.flows.sizes = {{bytes(100'000), 0.5}, {bytes(300'000), 1.0}};  // 66,667 flows in 100 ms
  CHECK(drawn_deviation(traffic, capacity) == Approx(1.0887 / std::sqrt(66'666.7)).epsilon(1e-4));
  traffic = fixed_size(bytes(1'000'000), 0, milliseconds(100));
  traffic.incast = {4, bytes(250'000), 0.5};  // the same 10,000 arrivals of 1 MB
  CHECK(drawn_deviation(traffic, capacity) == Approx(0.01));

  for (const KnownSizes& known : known_sizes()) {
    INFO(known.name);
    traffic = fixed_size(bytes(1), 0.5, milliseconds(100));
    traffic.flows.sizes = known.points;
    double deviations = 0;  // of five seeds; their sum is within 3 sqrt(5) of 1,000
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      double drawn = 0;
      for (const Flow& flow : flows_of(traffic, capacity, 16, seed))
        drawn += static_cast<double>(flow.size.value);
      deviations += (drawn / (0.5 * capacity.hosts * 0.1) - 1) / drawn_deviation(traffic, capacity);
    }
    CHECK(std::abs(deviations) < 3 * std::sqrt(5));
  }
}

// 16 NPUs at half load start 100,000 flows of 1 MB a second: 10,000 in 100 ms. 1,024 NPUs at full
// load start 7.48 million flows of web search: 10,000 in 1.3 ms, but one of 30 MB takes 2.4 ms. On
// 100 Gb/s 10 MB take 0.8 ms; 8 NPUs at 0.3 start 8 x 12.5 GB/s x 0.3/120,421 B = 249,126 flows of
// Hadoop a second: 10,000 in 40.14 ms, which is shown as 41 ms.
TEST_CASE("without times, 10,000 flows start, and a tenth of them are not counted") {
  const auto times = [](std::int32_t npus, const std::vector<SizePoint>& sizes, double load) {
    TrafficSpec traffic;
    traffic.flows.sizes = sizes;
    traffic.flows.load = load;
    choose_open_times(traffic, Topology(star(npus, "fluid").topology));
    return std::pair(*traffic.flows.length, *traffic.flows.warm_up);
  };
  CHECK(times(16, {{bytes(1'000'000), 1.0}}, 0.5) ==
        std::pair(milliseconds(100), milliseconds(10)));
  CHECK(times(1'024, find_sizes("websearch")->points, 1) ==
        std::pair(milliseconds(24), microseconds(2'400)));
  CHECK(times(8, find_sizes("hadoop")->points, 0.3) ==
        std::pair(milliseconds(41), microseconds(4'100)));
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

// 10,000 flows of 4 NPUs: 833 of each pair, with a standard deviation of 29.
TEST_CASE("every other NPU is a target equally often") {
  const TrafficSpec traffic = fixed_size(bytes(1'000'000), 0.5, milliseconds(400));
  const std::vector<Flow> flows =
      flows_of(traffic, capacity_of(Topology(star(4, "fluid").topology)), 4, 3);
  std::vector<std::vector<int>> count(4, std::vector<int>(4));
  for (const Flow& flow : flows) ++count[flow.source.value][flow.target.value];
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      if (from == to)
        CHECK(count[from][to] == 0);
      else
        CHECK(count[from][to] == Approx(833).margin(145));
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
  // 99 % of 150 are 148.5: the 149th is the first that so many do not exceed.
  values.resize(150);
  std::iota(values.rbegin(), values.rend(), 1.0);
  CHECK(distribution_of(values).p99 == 149);
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

// Two links back, of 500 ns and 86 B of 80 ps each.
TEST_CASE("flows may end when the source knows of it") {
  TrafficSpec traffic = fixed_size(bytes(1'000), 0.01, milliseconds(1));
  const TrafficResult delivered = simulate_traffic(star(2, "packet"), traffic);
  traffic.ends = FlowEnd::acknowledged;
  const TrafficResult known = simulate_traffic(star(2, "packet"), traffic);
  const Duration back = microseconds(1) + picoseconds(std::int64_t{2 * 86 * 80});
  REQUIRE(known.idle.size() > 10);
  for (std::size_t i = 0; i < known.idle.size(); ++i) {
    CHECK(known.idle[i] == delivered.idle[i] + back);
    CHECK(*known.flows[i].finish >= *delivered.flows[i].finish + back);
  }
  CHECK(known.notices.empty());
  // Others deliver, and do not tell.
  const TrafficResult fluid = simulate_traffic(star(2, "fluid"), traffic);
  CHECK(row(fluid, "all").slowdown.mean >= 1);
  REQUIRE(fluid.notices.size() == 1);
  CHECK(fluid.notices[0].find("traffic.ends") != std::string::npos);
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

// Two leaves of two hosts and one spine, 500 ns a link, 80 ps a byte; uplinks of 25 Gb/s, 320 ps.
// Below a leaf 1 MiB takes 2 x 500 ns + 83.886080 us, between leaves 4 x 500 ns + 335.544320 us.
TEST_CASE("the idle network is that of a flow's own path") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  const Wire slow{gigabits_per_second(25), nanoseconds(500)};
  Experiment experiment = star(4, "fluid");
  experiment.topology =
      build_tree({.node = {}, .tiers = {{"leaf", 2, 1, wire}, {"spine", 2, 0, slow}}});
  const TrafficResult result =
      simulate_traffic(experiment, fixed_size(bytes(1 << 20), 0.3, milliseconds(5)));
  REQUIRE(result.flows.size() > 20);
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const bool below_one_leaf =
        result.flows[i].source.value / 2 == result.flows[i].target.value / 2;
    CHECK(result.idle[i] == picoseconds(below_one_leaf ? 84'886'080 : 337'544'320));
    CHECK(*result.flows[i].finish - result.flows[i].start >= result.idle[i]);
  }
}

// The same tree with uplinks of 100 Gb/s. Two hosts of a leaf send 0.9 x 12.5 GB/s each, two thirds
// of it to the other leaf: 15 GB/s over an uplink of 12.5 GB/s, 1.2, of 18,000 flows (2 %).
TEST_CASE("the idle network has no losses, faults and slow receivers") {
  // 64 kB in 16 packets; one that is lost costs a timeout of 4 ms. Hosts that take a
  // tenth of their links: 52 us instead of 5.2.
  const TrafficSpec traffic = fixed_size(bytes(1 << 16), 0.05, milliseconds(5));
  Experiment experiment = star(4, "packet");
  const std::vector<Duration> idle = simulate_traffic(experiment, traffic).idle;
  REQUIRE(idle.size() > 10);
  experiment.network.switches.loss = 0.1;
  CHECK(simulate_traffic(experiment, traffic).idle == idle);
  experiment.network.switches.loss = 0;
  for (int npu = 0; npu < 4; ++npu)
    experiment.network.switches.slow.push_back({.npu = npu, .rate = gigabits_per_second(10)});
  const TrafficResult slow = simulate_traffic(experiment, traffic);
  CHECK(slow.idle == idle);
  CHECK(row(slow, "all").slowdown.p99 > 5);
}

TEST_CASE("a link that is sent more than it carries is named") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  Experiment experiment = star(4, "fluid");
  experiment.topology =
      build_tree({.node = {}, .tiers = {{"leaf", 2, 1, wire}, {"spine", 2, 0, wire}}});
  const TrafficResult over =
      simulate_traffic(experiment, fixed_size(bytes(25'000), 0.9, milliseconds(10)));
  CHECK(over.busiest_load == Approx(1.2).epsilon(0.06));
  CHECK(over.busiest_link.find("leaf") != std::string::npos);
  REQUIRE(over.notices.size() == 1);
  CHECK(over.notices[0].find("longer") != std::string::npos);
  CHECK(over.load_uplinks == Approx(1.8));  // all bytes count, as in papers
  const TrafficResult under =
      simulate_traffic(experiment, fixed_size(bytes(25'000), 0.4, milliseconds(10)));
  CHECK(under.busiest_load == Approx(0.53).epsilon(0.1));
  CHECK(under.notices.empty());
}

TEST_CASE("a backend without contention in the fabric says so") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  for (const char* backend : {"analytical", "fluid"}) {
    Experiment experiment = star(4, backend);
    const TrafficSpec traffic = fixed_size(bytes(25'000), 0.4, microseconds(200));
    CHECK(simulate_traffic(experiment, traffic).ignored.empty());
    experiment.topology =
        build_tree({.node = {}, .tiers = {{"leaf", 2, 1, wire}, {"spine", 2, 0, wire}}});
    CHECK(simulate_traffic(experiment, traffic).ignored.empty() == (backend[0] == 'f'));
  }
}

TEST_CASE("keys that only a job's report has are named") {
  Experiment experiment = star(4, "packet");
  experiment.network.transport.watched.push_back({0, 1});
  const TrafficResult result =
      simulate_traffic(experiment, fixed_size(bytes(25'000), 0.4, microseconds(200)));
  REQUIRE(result.ignored.size() == 1);
  CHECK(result.ignored[0].starts_with("network.transport.watch"));
}

// After 100 us of 10 ms: what has not begun is neither started nor unfinished.
TEST_CASE("a run that is stopped reports what was delivered") {
  TrafficOptions options;
  options.stop = [] { return true; };
  const TrafficResult result =
      simulate_traffic(star(4, "fluid"), fixed_size(bytes(10'000), 0.5, milliseconds(40)), options);
  CHECK(result.partial);
  CHECK(result.flows.size() > 90'000);
  CHECK(result.started < result.flows.size());
  CHECK(result.counted + result.unfinished == result.started);
  if (result.counted > 0) CHECK(row(result, "all").count == result.counted);
}

// Half of the flows have been sent, and nobody wants to wait for their idle times.
TEST_CASE("a run that is given up has no slowdowns") {
  TrafficOptions options;
  options.stop = options.give_up = [] { return true; };
  const TrafficResult result =
      simulate_traffic(star(4, "fluid"), fixed_size(bytes(10'000), 0.5, milliseconds(40)), options);
  CHECK(result.partial);
  CHECK(result.rows.empty());
  CHECK((result.idle.empty() || result.counted == 0));
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
  result.flows[0].incast = true;  // HPCC's scripts know them by the port 200
  CHECK(flows_hpcc(result) == "0b000101 0b000001 10000 200 1048576 3000 84886 84886\n");
}

TEST_CASE("pfc.txt and qlen.txt have the columns of HPCC's simulator") {
  TrafficResult result;
  CHECK(pauses_hpcc(result).empty());
  CHECK(depths_hpcc(result).empty());
  result.finish = microseconds(5);
  result.port_pauses = {{microseconds(1), {3, 1, false}, true},
                        {nanoseconds(2'500), {8, 4, true}, false}};
  result.port_depths = {{{8, 4, true}, {microseconds(4), Duration{}, microseconds(1)}}};
  CHECK(pauses_hpcc(result) == "1000 3 0 1 1\n2500 8 1 4 0\n");
  CHECK(depths_hpcc(result) == "time: 5000\n8 4 40 0 10\n");
}

TEST_CASE("ports are numbered as the links leave a node, from 1 on") {
  // Over RoCE without control: NPUs of a star are paused by the switch, node 4. The link to NPU 2
  // is the switch's third; what it says of its queue covers all the time.
  Experiment experiment = star(4, "packet");
  experiment.network.transport.congestion_control = "none";
  experiment.network.transport.roce.window.kind = PairWindow::Kind::none;
  experiment.network.switches.pause_log = 1'000;
  // An incast of 30 MB each 1.2 ms.
  TrafficSpec traffic = fixed_size(bytes(100'000), 0.01, milliseconds(10));
  traffic.incast = IncastSpec{3, bytes(10'000'000), 0.5};
  const Topology topology(experiment.topology);
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    if (topology.link_name(i) == "switch 4 -> npu 2") experiment.network.switches.watched = {i};
  const TrafficResult result = simulate_traffic(experiment, traffic);
  REQUIRE(!result.port_pauses.empty());
  for (const PortPause& pause : result.port_pauses) {
    CHECK(pause.port.node < 4);
    CHECK(!pause.port.is_switch);
    CHECK(pause.port.port == 1);
  }
  REQUIRE(result.port_depths.size() == 1);
  CHECK(result.port_depths[0].port.node == 4);
  CHECK(result.port_depths[0].port.port == 3);
  CHECK(result.port_depths[0].port.is_switch);
  Duration sum;
  for (const Duration time : result.port_depths[0].times) sum += time;
  CHECK(sum >= result.finish);
}

TEST_CASE("traffic that contradicts itself names its keys") {
  const TopologySpec topology = star(4, "fluid").topology;
  TrafficSpec traffic = fixed_size(bytes(100), 0.5, milliseconds(1));
  CHECK(keys(problems_of(traffic, topology)) == "");
  traffic.flows.of = LoadOf::uplinks;
  traffic.incast = {4, bytes(1), 0.1};  // and a fifth that receives
  CHECK(keys(problems_of(traffic, topology)) == "incast.senders flows.of");
  traffic = fixed_size(bytes(100), 0.5, milliseconds(1));
  traffic.flows.warm_up = milliseconds(1);
  CHECK(keys(problems_of(traffic, topology)) == "flows.warm_up");
  CHECK(keys(problems_of(fixed_size(bytes(100), 0, milliseconds(1)), topology)) == "flows.load");
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
