// Switches that choose a link for each packet: what arrives when, over which link, in which order.
// Links of 1 GB/s carry a byte in 1 ns.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::NetworkUnderTest;

constexpr std::int64_t payload = 1'000, wire = payload + 82, reth = 16;

NetworkSpec routed(RoutingPolicy policy, RecoveryKind recovery = RecoveryKind::selective_repeat) {
  NetworkSpec spec;
  spec.routing.policy = policy;
  spec.transport.kind = TransportKind::roce;
  spec.transport.congestion_control = "none";
  spec.transport.roce.payload = bytes(payload);
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  spec.transport.roce.recovery = recovery;
  spec.switches.pfc.enabled = false;
  spec.switches.buffer = bytes(1'000'000'000);
  return spec;
}

PacketStatistics statistics_of(const NetworkUnderTest& net) {
  return *net.network->statistics().packets;
}

Duration last_of(const NetworkUnderTest& net) {
  return *std::ranges::max_element(net.log.delivered_at) - Time{};
}

std::optional<LinkIndex> link_between(const Topology& topology, std::int32_t from,
                                      std::int32_t to) {
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    if (topology.links()[i].from.value == from && topology.links()[i].to.value == to) return i;
  return {};
}

// Hosts 0 .. hosts-1 at leaf 0, as many at leaf 1; then the two leaves; then the spines.
struct TwoLeaves : NetworkUnderTest {
  TwoLeaves(std::int32_t hosts_of_leaf, std::int32_t spines_of_both, const NetworkSpec& spec)
      : NetworkUnderTest("packet", test::two_tiers(2, hosts_of_leaf, spines_of_both), spec),
        hosts(hosts_of_leaf),
        spines(spines_of_both) {}

  LinkIndex uplink(std::int32_t spine) const {
    return *link_between(topology, 2 * hosts, 2 * hosts + 2 + spine);
  }
  // Every host of leaf 0 sends to one of leaf 1.
  void send_all(std::int64_t packets) {
    for (std::int32_t host = 0; host < hosts; ++host) send(host, hosts + host, packets * payload);
    queue.run();
  }

  std::int32_t hosts, spines;
};

TEST_CASE("sprayed in turn, n flows over n spines finish as if each were alone, in short queues") {
  // Four hosts at line rate bring four packets in a packet's time, and four uplinks take them.
  // Alone a message of 400 packets over four links takes 400 w + 16 ns of sending, 3 w + 48 ns for
  // the further links and 4 x 100 ns; a queue of n packets makes it later by n w at most, once. No
  // queue can hold more than the four that came together.
  TwoLeaves net(4, 4, routed(RoutingPolicy::spray));
  net.send_all(400);
  const Duration alone = nanoseconds(400 * wire + reth + 3 * (wire + reth) + 400);
  CHECK(last_of(net) >= alone);
  CHECK(last_of(net) <= alone + nanoseconds(2 * 4 * wire));
  const PacketStatistics packets = statistics_of(net);
  for (std::int32_t spine = 0; spine < 4; ++spine) {
    const LinkQueueStatistics& uplink = packets.links[net.uplink(spine)];
    CHECK(uplink.packets == 400);
    CHECK(uplink.most_waiting <= bytes(4 * (wire + reth)));
  }
  CHECK(packets.retransmissions == 0);
}

TEST_CASE("with hashed flows the fullest uplink decides: c flows take c times as long") {
  // c is counted from the bytes of the uplinks; at the seed of the spec it is more than one.
  TwoLeaves net(4, 4, routed(RoutingPolicy::ecmp));
  net.send_all(400);
  std::uint64_t most = 0;
  for (std::int32_t spine = 0; spine < 4; ++spine)
    most = std::max(most, statistics_of(net).links[net.uplink(spine)].packets);
  const auto flows = static_cast<std::int64_t>(most / 400);
  REQUIRE(flows > 1);
  const Duration first = nanoseconds(3 * (wire + reth) + 400);
  CHECK(last_of(net) >= nanoseconds(flows * 400 * wire));
  CHECK(last_of(net) <= first + nanoseconds(flows * (400 * wire + reth)) + nanoseconds(wire));
}

TEST_CASE("packets take all of 40 equal paths, not 32 of them") {
  for (const SprayOrder order : {SprayOrder::round_robin, SprayOrder::random}) {
    NetworkSpec spec = routed(RoutingPolicy::spray);
    spec.routing.spray = order;
    TwoLeaves net(1, 40, spec);
    net.send_all(4'000);
    std::uint64_t least = 4'000, most = 0;
    for (std::int32_t spine = 0; spine < 40; ++spine) {
      const std::uint64_t packets = statistics_of(net).links[net.uplink(spine)].packets;
      least = std::min(least, packets);
      most = std::max(most, packets);
    }
    // 100 each in turn. Drawn, the number on a link has standard deviation sqrt(100 x 39 / 40).
    if (order == SprayOrder::round_robin) CHECK((least == 100 && most == 100));
    if (order == SprayOrder::random) CHECK((least > 60 && least < 95 && most > 105 && most < 140));
  }
}

// Host 0, host 1, their leaves 2 and 3, spines 4 and 5; the way over spine 5 is `longer`. 20 us to
// the hosts: what is sent at once has left long before an answer comes.
TopologySpec unequal_ways(Duration longer) {
  GraphSpec graph;
  graph.nodes = {{NodeKind::npu, ""},      {NodeKind::npu, ""},      {NodeKind::switched, ""},
                 {NodeKind::switched, ""}, {NodeKind::switched, ""}, {NodeKind::switched, ""}};
  const auto join = [&](std::int32_t a, std::int32_t b, Duration latency) {
    for (const auto& [from, to] : {std::pair{a, b}, {b, a}})
      graph.links.push_back({{from}, {to}, 0, gigabytes_per_second(1), latency});
  };
  join(0, 2, microseconds(20));
  join(1, 3, microseconds(20));
  for (const std::int32_t spine : {4, 5})
    for (const std::int32_t leaf : {2, 3})
      join(leaf, spine, nanoseconds(100) + (spine == 5 && leaf == 3 ? longer : Duration{}));
  return {{{"", LevelKind::graph, 2, gigabytes_per_second(1), {}, Scope::scale_out}},
          std::make_shared<const GraphSpec>(graph)};
}

// A seed with which both leaves send their first packet over the short way.
std::uint64_t seed_that_starts_short(NetworkSpec spec, Duration longer) {
  for (spec.routing.seed = 1;; ++spec.routing.seed) {
    NetworkUnderTest net("packet", unequal_ways(longer), spec);
    net.send(0, 1, 1);
    net.queue.run();
    const PacketStatistics packets = statistics_of(net);
    if (packets.links[*link_between(net.topology, 2, 4)].packets == 1 &&
        packets.links[*link_between(net.topology, 3, 4)].packets == 1)
      return spec.routing.seed;
  }
}

TEST_CASE("go-back-N under spraying sends nearly everything again, to the packet") {
  // Packets 0 to 7, the odd ones over a way that is four packets longer: in times of a packet they
  // arrive at 0: 0, 2: 2, 4: 4, 1: 5, 6: 6, 3: 7, 5: 9, 7: 11. The receiver takes 0, refuses at 2
  // (expects 1), takes 1 at 5, refuses at 6 (expects 2), and drops the others. Its answers
  // alternate too: the first refusal comes over the long way after the acknowledgement of 1, and is
  // old. The second makes the sender go back to 2. So a round delivers two packets, and the rest of
  // the eight is sent again: 6 + 4 + 2.
  const Duration longer = nanoseconds(4 * wire);
  NetworkSpec spec = routed(RoutingPolicy::spray, RecoveryKind::go_back_n);
  spec.routing.seed = seed_that_starts_short(spec, longer);
  NetworkUnderTest net("packet", unequal_ways(longer), spec);
  const auto message = net.send(0, 1, 8 * payload);
  net.queue.run();
  CHECK(net.log.deliveries[message] == 1);
  CHECK(statistics_of(net).retransmissions == 6 + 4 + 2);
  CHECK(statistics_of(net).timeouts == 0);

  // Selective repeat keeps what came early, and waits a window of the path before it calls a gap a
  // loss: nothing is sent again. 1, 3 and 5 are late: 4 was there before 1, and 6 before 3 and 5,
  // so 3 is the largest distance; 2 and 4 are held together, then 4 and 6.
  spec.transport.roce.recovery = RecoveryKind::selective_repeat;
  NetworkUnderTest kept("packet", unequal_ways(longer), spec);
  kept.send(0, 1, 8 * payload);
  kept.queue.run();
  const PacketStatistics packets = statistics_of(kept);
  CHECK(packets.retransmissions == 0);
  CHECK(packets.refusals == 0);
  CHECK(packets.reordering.late == 3);
  CHECK(packets.reordering.most_overtaken_by == 3);
  CHECK(packets.reordering.most_held == bytes(2 * payload));
  // The last packet comes over the long way: 8 w + 16 ns, 3 w on the further links, 40.2 us, 4 w.
  CHECK(last_of(kept) == nanoseconds(8 * wire + reth + 3 * wire + 40'200) + longer);

  // Without tolerance each packet that comes early is taken for a loss of those before it.
  spec.transport.roce.reorder_tolerance = 0;
  NetworkUnderTest hasty("packet", unequal_ways(longer), spec);
  hasty.send(0, 1, 8 * payload);
  hasty.queue.run();
  CHECK(statistics_of(hasty).retransmissions > 0);
}

TEST_CASE("a packet that is lost under spraying is found by what came later, without a timeout") {
  NetworkSpec spec = routed(RoutingPolicy::spray);
  spec.switches.loss = 0.01;
  TwoLeaves net(1, 4, spec);
  net.send(0, 1, 3'000 * payload);
  net.queue.run();
  const PacketStatistics packets = statistics_of(net);
  CHECK(net.log.deliveries[0] == 1);
  CHECK(packets.drops_by_cause[static_cast<std::size_t>(DropCause::random)] == packets.drops);
  // 1 % of each of four links: 3,000 x 3.9 % of the packets, and some of those sent again.
  CHECK(packets.retransmissions > 80);
  CHECK(packets.retransmissions < 400);
  CHECK(packets.timeouts < 20);
}

TEST_CASE("adaptive switches send as much over a slow uplink as it carries, spraying does not") {
  // Four hosts, four uplinks, one of them at a quarter of the rate. In turn, a quarter of the bytes
  // goes over it and takes four times as long: 4 S. By the queues, all end together when 3.25
  // uplinks have carried four messages: 1.23 S. DRILL looks at three of four queues for each
  // packet.
  const auto finish = [](RoutingPolicy policy) {
    TwoLeaves shape(4, 4, routed(policy));
    NetworkSpec spec = routed(policy);
    spec.routing.faults = {{.at = Time{},
                            .link = shape.uplink(1),
                            .node = {},
                            .condition = LinkCondition::degraded,
                            .bandwidth = {250'000'000}}};
    TwoLeaves net(4, 4, spec);
    net.send_all(400);
    return static_cast<double>(last_of(net).value) /
           static_cast<double>(nanoseconds(400 * wire).value);
  };
  CHECK(finish(RoutingPolicy::spray) == Approx(4).epsilon(0.03));
  CHECK(finish(RoutingPolicy::adaptive) == Approx(4 / 3.25).epsilon(0.03));
  const double drill = finish(RoutingPolicy::drill);
  CHECK(drill >= 4 / 3.25);
  CHECK(drill < 1.35);
}

TEST_CASE(
    "a switch leaves out a dead link of its own at once, and one elsewhere when routes know") {
  // Two spines, one flow at line rate. At 200 us a link over spine 0 dies; routers learn 100 us
  // later. The uplink is the leaf's own: what waits before it, at most a packet, is lost. The link
  // behind the spine is not: every second packet of 100 us is lost, 100 us / 1,082 ns / 2 = 46.
  const auto lost = [](bool local) {
    NetworkSpec spec = routed(RoutingPolicy::spray);
    const TwoLeaves shape(1, 2, spec);
    const LinkIndex link = local ? shape.uplink(0) : *link_between(shape.topology, 4, 3);
    spec.routing.reroute_delay = microseconds(100);
    spec.routing.faults = {{.at = Time{} + microseconds(200),
                            .link = link,
                            .node = {},
                            .condition = LinkCondition::down,
                            .bandwidth = {}}};
    TwoLeaves net(1, 2, spec);
    net.send_all(1'000);
    CHECK(net.log.deliveries[0] == 1);
    return statistics_of(net).drops_by_cause[static_cast<std::size_t>(DropCause::link_down)];
  };
  CHECK(lost(true) <= 1);
  CHECK(lost(false) == Approx(46).margin(2));
}

TEST_CASE("a flowlet ends where a flow pauses for longer than the gap") {
  // Twenty messages of one pair over 16 spines, 200 us apart: with a gap of 1 ms they are one
  // flowlet, over one uplink. With 100 us each draws its own: all on one is 16^-19.
  for (const Duration gap : {milliseconds(1), microseconds(100)}) {
    NetworkSpec spec = routed(RoutingPolicy::letflow);
    spec.routing.flowlet_gap = gap;
    TwoLeaves net(1, 16, spec);
    for (int i = 0; i < 20; ++i)
      net.queue.schedule(microseconds(200) * i, [&net] { net.send(0, 1, 10 * payload); });
    net.queue.run();
    int used = 0;
    for (std::int32_t spine = 0; spine < 16; ++spine)
      used += statistics_of(net).links[net.uplink(spine)].packets > 0 ? 1 : 0;
    CHECK((used == 1) == (gap > microseconds(200)));
    CHECK(used <= 16);
    CHECK(statistics_of(net).reordering.late == 0);
  }
}

TEST_CASE("congestion-aware flowlets go around a link elsewhere that is full, others do not") {
  // Twenty messages of ten packets, 200 us apart, over two spines. The link from the first spine to
  // the other leaf carries a quarter: 10 x 1,082 B are 27 % of what it carries in 160 us, two
  // eighths; on the other way 7 %, less than one. The leaf hears of that with the first
  // acknowledgements, and for 10 ms sends no more that way. LetFlow draws: ten of twenty, and less
  // than four once in 800.
  const auto over_the_slow_one = [](RoutingPolicy policy) {
    NetworkSpec spec = routed(policy);
    const TwoLeaves shape(1, 2, spec);
    spec.routing.faults = {{.at = Time{},
                            .link = *link_between(shape.topology, 4, 3),
                            .node = {},
                            .condition = LinkCondition::degraded,
                            .bandwidth = {250'000'000}}};
    TwoLeaves net(1, 2, spec);
    for (int i = 0; i < 20; ++i)
      net.queue.schedule(microseconds(200) * i, [&net] { net.send(0, 1, 10 * payload); });
    net.queue.run();
    const std::uint64_t packets = statistics_of(net).links[net.uplink(0)].packets;
    CHECK(packets % 10 == 0);
    return packets / 10;
  };
  CHECK(over_the_slow_one(RoutingPolicy::conga) <= 1);
  CHECK(over_the_slow_one(RoutingPolicy::letflow) >= 4);
}

TEST_CASE("large flows make no pauses, so flowlets gain nothing over hashed flows") {
  // Four hosts send 400 packets each, without a gap: every flow keeps the uplink that it drew, and
  // c of them on one take c times as long, as with ECMP. Of a hundred seeds the mean c of both is
  // that of four balls in four bins, 2.125, with a standard deviation of 0.6: 0.06 of the mean of
  // each.
  const auto mean_of = [](RoutingPolicy policy) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      NetworkSpec spec = routed(policy);
      spec.seed = spec.routing.seed = seed;
      TwoLeaves net(4, 4, spec);
      net.send_all(400);
      std::uint64_t most = 0;
      for (std::int32_t spine = 0; spine < 4; ++spine) {
        const std::uint64_t packets = statistics_of(net).links[net.uplink(spine)].packets;
        CHECK(packets % 400 == 0);
        most = std::max(most, packets);
      }
      const auto alone = static_cast<double>(nanoseconds(400 * wire).value);
      const double times = static_cast<double>(last_of(net).value) / alone;
      CHECK(times == Approx(static_cast<double>(most / 400)).margin(0.02));
      sum += times;
    }
    return sum / 100;
  };
  CHECK(mean_of(RoutingPolicy::letflow) == Approx(mean_of(RoutingPolicy::ecmp)).epsilon(0.08));
}

// Eight hosts send to eight over eight spines, of which the first dies at 2 ms; routers learn a
// millisecond later. The idle round trip is 4 x 1,082 + 4 x 86 + 800 = 5,472 ns.
struct DeadSpine {
  explicit DeadSpine(NetworkSpec spec) : shape(8, 8, spec), net(8, 8, with_fault(std::move(spec))) {
    for (std::int32_t host = 0; host < 8; ++host) net.send(host, 8 + host, 20'000 * payload);
  }
  NetworkSpec with_fault(NetworkSpec spec) const {
    spec.routing.reroute_delay = milliseconds(1);
    spec.routing.faults = {{.at = death,
                            .link = {},
                            .node = NodeId{2 * 8 + 2},
                            .condition = LinkCondition::down,
                            .bandwidth = {}}};
    return spec;
  }
  void run_until(Time when) {
    while (net.queue.now() < when) net.queue.run_one();
  }
  // Bytes that each receiver's link carried so far.
  std::vector<std::int64_t> received() const {
    std::vector<std::int64_t> found;
    for (std::int32_t host = 8; host < 16; ++host)
      found.push_back(
          statistics_of(net).links[*link_between(net.topology, 2 * 8 + 1, host)].sent.value);
    return found;
  }
  // In half a millisecond from `begin`.
  std::vector<std::int64_t> received_from(Time begin) {
    run_until(begin);
    std::vector<std::int64_t> before = received();
    run_until(begin + microseconds(500));
    std::vector<std::int64_t> bytes = received();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] -= before[i];
    return bytes;
  }

  static constexpr Time death = Time{} + milliseconds(2);
  static constexpr Duration round_trip = nanoseconds(5'472);
  TwoLeaves shape, net;
};

std::int64_t sum(const std::vector<std::int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

TEST_CASE("a spine dies: where switches choose, ten round trips later only its share is missing") {
  // Seven of eight spines are left: 7/8 of what the hosts can send. 3 % for what was lost.
  NetworkSpec uet = routed(RoutingPolicy::source);
  uet.transport.kind = TransportKind::uet;
  for (const NetworkSpec& spec : {routed(RoutingPolicy::adaptive), uet}) {
    DeadSpine run(spec);
    const std::int64_t whole = sum(run.received_from(Time{} + milliseconds(1)));
    const std::int64_t left = sum(run.received_from(DeadSpine::death + DeadSpine::round_trip * 10));
    INFO(name_of(*spec.transport.kind));
    CHECK(static_cast<double>(whole) >= 0.97 * 8 * 500'000);
    CHECK(static_cast<double>(left) >= 0.97 * 7 * 500'000);
  }
}

TEST_CASE("a spine dies: hashed flows over it wait until the routers know") {
  // A window of a BDP: without one the uplinks that several flows share have milliseconds of queue,
  // and what moves to these waits behind it.
  NetworkSpec spec = routed(RoutingPolicy::ecmp);
  spec.transport.roce.window.kind = PairWindow::Kind::bdp;
  spec.transport.roce.rto = microseconds(100);
  spec.transport.retries = 100;
  DeadSpine run(spec);
  run.run_until(DeadSpine::death);
  const bool used = statistics_of(run.net).links[run.net.uplink(0)].packets > 0;
  REQUIRE(used);
  const auto before = run.received_from(DeadSpine::death + DeadSpine::round_trip * 10);
  const auto after = run.received_from(DeadSpine::death + microseconds(1'200));
  int silent = 0;
  for (std::size_t host = 0; host < 8; ++host) {
    silent += before[host] == 0 ? 1 : 0;
    CHECK(after[host] > 0);
  }
  CHECK(silent > 0);
}

TEST_CASE("a pair of queue ends gives all packets one value: by source they keep a way") {
  TwoLeaves net(1, 16, routed(RoutingPolicy::source));
  net.send_all(200);
  int used = 0;
  for (std::int32_t spine = 0; spine < 16; ++spine)
    used += statistics_of(net).links[net.uplink(spine)].packets > 0 ? 1 : 0;
  CHECK(used == 1);
}

TEST_CASE("a slow receiver is behind the last link that switches choose, too") {
  // Its host takes 0.1 GB/s: 100 packets of 1,082 B, 1.082 ms.
  NetworkSpec spec = routed(RoutingPolicy::spray);
  spec.switches.pfc.enabled = true;
  spec.switches.slow = {{.npu = 1, .rate = {100'000'000}}};
  TwoLeaves net(1, 4, spec);
  net.send_all(100);
  CHECK(last_of(net) >= nanoseconds(10 * 100 * wire));
  CHECK(last_of(net) <= nanoseconds(10 * 101 * wire + 10'000));
  CHECK(statistics_of(net).drops == 0);
}

TEST_CASE("pauses hold under spraying: what comes over a link is counted as its own") {
  // Three hosts of leaf 0 and three of leaf 1 send to one of leaf 1, without a window. The buffer
  // is small, so the leaves and spines pause each other; nothing is lost, and all arrives.
  NetworkSpec spec = routed(RoutingPolicy::spray);
  spec.switches.pfc.enabled = true;
  spec.switches.buffer = bytes(2'000'000);
  TwoLeaves net(4, 4, spec);
  for (const std::int32_t from : {0, 1, 2, 5, 6, 7}) net.send(from, 4, 1'000 * payload);
  net.queue.run();
  CHECK(statistics_of(net).drops == 0);
  CHECK(!statistics_of(net).pauses.empty());
  for (const int delivered : net.log.deliveries) CHECK(delivered == 1);
}

TEST_CASE("the same seed gives the same times, another one others") {
  const auto times = [](std::uint64_t seed) {
    NetworkSpec spec = routed(RoutingPolicy::drill);
    spec.routing.seed = seed;
    TwoLeaves net(4, 4, spec);
    net.send_all(100);
    return net.log.delivered_at;
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
}

}  // namespace
}  // namespace orrery
