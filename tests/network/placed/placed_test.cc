// NDP and UET over the packet backend: closed forms of messages that are alone, meet, or are lost.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

#include "network/network_error.h"
#include "network/packet/packet_fabric.h"
#include "network/topology/builders/tree.h"
#include "tests/network/network_under_test.h"
#include "tests/network/placed/placed_network.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::last_of;
using test::NetworkUnderTest;
using test::placed;
using test::statistics_of;

// 100 Gb/s: 80 ps a byte.
TopologySpec star(std::int32_t size, Duration latency = microseconds(1)) {
  return {{{"", LevelKind::switched, size, gigabits_per_second(100), latency, Scope::scale_out}}};
}

TEST_CASE("one sender goes on at line rate: its window and its pulls never run dry") {
  // S bytes in packets of 4,096 with 82 B each, over two links: 2 us, all on the first link, and
  // one on the second. A pull for each packet that came keeps as many on their way as at first.
  for (const std::int64_t size : {1, 4'096, 100'000, 10'000'000})
    for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet})
      for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both}) {
        NetworkSpec spec = placed(kind);
        spec.transport.uet.control = control;
        NetworkUnderTest net("packet", star(2), spec);
        const auto message = net.send(0, 1, size);
        net.queue.run();
        const std::int64_t packets = (size + 4'095) / 4'096;
        const std::int64_t last = size - (packets - 1) * 4'096 + 82;
        const std::int64_t wire = size + 82 * packets;
        const std::int64_t behind = packets == 1 ? last : std::max<std::int64_t>(last, 4'178);
        const Duration exact = microseconds(2) + picoseconds(80 * (wire + behind));
        CHECK(net.delivered(message) >= exact - picoseconds(80 * (behind - last)));
        CHECK(net.delivered(message) <= exact + picoseconds(std::int64_t{80} * 2 * 4'178));
        CHECK(statistics_of(net).trimmed == 0);
        CHECK(statistics_of(net).retransmissions == 0);
      }
}

TopologySpec leaves_and_spines() {
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 2, 2, cable}, {"spine", 2, 0, cable}};
  return build_tree(tree);
}

TEST_CASE("messages alone on leaves and spines: store and forward over four links, exact") {
  // A full packet takes 4,178 B x 80 ps = 334,240 ps of each link, and 1 us.
  //   4,096 B: 4 x 1,334,240 = 5,336,960 ps.
  //  12,288 B: two more follow on the last link: 5,336,960 + 2 x 334,240 = 6,005,440 ps.
  //  10,000 B: the third has 1,808 + 82 = 1,890 B, 151,200 ps. On a way of its own it overtakes the
  //            second. The last link is busy all the same from when the first one is there:
  //            4 us + 3 x 334,240 + 2 x 334,240 + 151,200 = 5,822,400 ps.
  // The last bit leaves the sender after 334,240, 1,002,720 and 2 x 334,240 + 151,200 = 819,680 ps.
  const std::array<std::array<std::int64_t, 3>, 3> cases{
      {{4'096, 5'336'960, 334'240}, {12'288, 6'005'440, 1'002'720}, {10'000, 5'822'400, 819'680}}};
  for (const auto& [size, delivered, injected] : cases)
    for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet})
      for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both}) {
        NetworkSpec spec = placed(kind);
        spec.transport.uet.control = control;
        NetworkUnderTest net("packet", leaves_and_spines(), spec);
        const auto message = net.send(0, 2, size);
        net.queue.run();
        INFO(size << " B, " << name_of(control));
        CHECK(net.delivered(message) == picoseconds(delivered));
        CHECK(net.injected(message) == picoseconds(injected));
        // The answer to the last packet: 84 B x 80 ps = 6,720 ps of each link, and 1 us.
        CHECK(net.acknowledged(message) == picoseconds(delivered + 4 * 1'006'720));
      }
}

// Queues of one packet: of three that meet, one passes, one waits, and one is trimmed.
NetworkSpec room_for_one(TransportKind kind, UetControl control) {
  NetworkSpec spec = placed(kind);
  spec.transport.uet.control = control;
  spec.switches.classes = {
      {.priority = 3, .overflow = ClassOverflow::trim, .buffer = bytes(4'178)},
      {.priority = 6, .carries = ClassContent::control, .buffer = bytes(10 * 84)}};
  return spec;
}

TEST_CASE("a trimmed packet comes a round trip later: header, refusal, pull, and once more") {
  // Three packets are in the switch at 334,240 ps + 1 us = 1,334,240 ps. The first is through at
  // 1,668,480 and there at 2,668,480. Then goes the header, 6,720 ps: 1,675,200, there at
  // 2,675,200. Then goes the second: 2,009,440, there at 3,009,440.
  // The receiver answered the first until 2,675,200. The refusal takes two links of 1,006,720 ps:
  // it is with the sender at 4,688,640. Under NSCC the packet goes out again then, over two links
  // of 1,334,240: 7,357,120. With pulls it waits for one, which goes behind the refusal, 6,720 ps
  // later: 7,363,840.
  struct Case {
    TransportKind kind;
    UetControl control;
    std::int64_t last;
  };
  for (const Case& one : {Case{TransportKind::ndp, UetControl::nscc, 7'363'840},
                          Case{TransportKind::uet, UetControl::nscc, 7'357'120},
                          Case{TransportKind::uet, UetControl::rccc, 7'363'840},
                          Case{TransportKind::uet, UetControl::both, 7'363'840}}) {
    NetworkUnderTest net("packet", star(4), room_for_one(one.kind, one.control));
    for (std::int32_t from = 1; from < 4; ++from) net.send(from, 0, 4'096);
    net.queue.run();
    INFO(name_of(one.control));
    std::vector<Time> delivered = net.log.delivered_at;
    std::ranges::sort(delivered);
    CHECK(delivered[0] - Time{} == picoseconds(2'668'480));
    CHECK(delivered[1] - Time{} == picoseconds(3'009'440));
    CHECK(delivered[2] - Time{} == picoseconds(one.last));
    CHECK(statistics_of(net).trimmed == 1);
    CHECK(statistics_of(net).retransmissions == 1);
    CHECK(statistics_of(net).timeouts == 0);
  }
}

TEST_CASE("a refusal of what was sent again since says nothing of the later packet") {
  // As above, in ns, with a timeout of 4,685 ns: the acknowledgement of the first packet came at
  // 4,682. The second and the trimmed one are sent again at 4,685. At 4,688.64 comes the refusal of
  // the trimmed one, of its first sending: it tells nothing new. The second sendings are in the
  // switch at 6,019.24, the trimmed one leaves it behind the other, is there at 6,019.24 + 2 x
  // 334.24 + 1,000 = 7,687.72, and the sender knows 2,013.44 later, at 9,701.16, after its second
  // timeout at 9,370. So it goes out a third time: 3 in all.
  NetworkSpec spec = room_for_one(TransportKind::uet, UetControl::nscc);
  spec.transport.roce.rto = nanoseconds(4'685);
  NetworkUnderTest net("packet", star(4), spec);
  for (std::int32_t from = 1; from < 4; ++from) net.send(from, 0, 4'096);
  net.queue.run();
  CHECK(statistics_of(net).trimmed == 1);
  CHECK(statistics_of(net).timeouts == 3);
  CHECK(statistics_of(net).retransmissions == 3);
}

TEST_CASE("timeouts of UET that follow each other take twice as long, up to 4 ms") {
  // The last link loses all. The packet goes out at 0, and after 100, 200, 400, 800, 1,600 and
  // 3,200 us and five times 4 ms more: 11 timeouts, one more than `retries`, at 26.3 ms.
  NetworkSpec spec = placed(TransportKind::uet);
  const Topology topology(star(4));
  const auto down = static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}));
  spec.switches.lossy_links = {{down, 1}};
  NetworkUnderTest net("packet", star(4), spec);
  net.send(0, 1, 4'096);
  CHECK_THROWS_WITH(net.queue.run(), Catch::Contains("gave up npu 0 -> npu 1 at 26.3 ms: nothing "
                                                     "came back in 11 timeouts"));
  // Its idle round trip is 0.2 ms where a link takes 50 us: the first timeout is four of these.
  NetworkSpec far = placed(TransportKind::uet);
  NetworkUnderTest net_of_far("packet", star(4, microseconds(50)), far);
  net_of_far.send(0, 1, 100'000'000);
  net_of_far.queue.run();
  CHECK(statistics_of(net_of_far).timeouts == 0);
}

TEST_CASE("a packet of UET times out by itself, while others of its message come back") {
  // 30 packets of 4,178 B, 334,240 ps each. The tenth goes out at 9 x 334,240 = 3,008,160 ps, and
  // is at the last link at 10 x 334,240 + 1 us = 4,342,400, which is down then. Two windows later
  // is behind the end of the message. 10 us after it was sent it goes out again, over two idle
  // links: 13,008,160 + 2 x 1,334,240. The other answers come until 14.4 us; counted from the last
  // of these the message would end at 27 us.
  NetworkSpec spec = placed(TransportKind::uet);
  spec.transport.roce.rto = microseconds(10);
  spec.routing.reroute_delay = milliseconds(1);
  const Topology topology(star(2));
  const auto down = static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}));
  for (const LinkCondition condition : {LinkCondition::down, LinkCondition::up})
    spec.routing.faults.push_back(
        {.at = Time{} + nanoseconds(condition == LinkCondition::down ? 4'300 : 4'400),
         .link = down,
         .node = {},
         .condition = condition,
         .bandwidth = {}});
  NetworkUnderTest net("packet", star(2), spec);
  const auto message = net.send(0, 1, 30 * 4'096);
  net.queue.run();
  CHECK(net.delivered(message) == picoseconds(15'676'640));
  CHECK(statistics_of(net).timeouts == 1);
  CHECK(statistics_of(net).retransmissions == 1);
}

TEST_CASE("a timeout of UET that is stated is taken as it is, also if it is that of the default") {
  // As above: eleven timeouts of 100 us each, the last at 1.1 ms.
  NetworkSpec spec = placed(TransportKind::uet);
  spec.transport.roce.rto = uet_rto;
  const Topology topology(star(4));
  const auto down = static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}));
  spec.switches.lossy_links = {{down, 1}};
  NetworkUnderTest net("packet", star(4), spec);
  net.send(0, 1, 4'096);
  CHECK_THROWS_WITH(net.queue.run(), Catch::Contains("gave up npu 0 -> npu 1 at 1.1 ms: nothing "
                                                     "came back in 11 timeouts of 100 us"));
  // Where a link takes 50 us, 100 us are over before the first answer comes, after 200 us.
  spec.switches.lossy_links = {};
  NetworkUnderTest net_of_far("packet", star(4, microseconds(50)), spec);
  net_of_far.send(0, 1, 4'096);
  net_of_far.queue.run();
  CHECK(statistics_of(net_of_far).timeouts == 2);
}

TEST_CASE("an NPU with a port on each of two planes sends and is asked as fast as both") {
  // 10 MB in 2,442 packets with 82 B each: 10,200,244 B. A half of it takes 5,100,122 B x 80 ps =
  // 408.0 us of each port. One port alone would take 816 us. The path adds a microsecond.
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet})
    for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both}) {
      NetworkSpec spec = placed(kind);
      spec.transport.uet.control = control;
      test::GraphMaker planes(2, 0, 2);
      for (const std::int32_t npu : {0, 1})
        for (const std::int32_t plane : {2, 3}) planes.join(npu, plane, gigabits_per_second(100));
      NetworkUnderTest net("packet", planes.spec(), spec);
      const auto message = net.send(0, 1, 10'000'000);
      net.queue.run();
      INFO(name_of(control));
      CHECK(net.delivered(message) >= microseconds(408));
      CHECK(net.delivered(message) <= microseconds(412));
      CHECK(statistics_of(net).retransmissions == 0);
    }
}

TEST_CASE("what finds no room goes on as a header: n senders of w packets, a queue of b") {
  // Four senders of ten packets of 8,400 B at once, queue of eight, headers of 84 B: a hundredth of
  // a packet. Were they free, 10 packets leave while they come and 8 stay: 22 of the 40 are
  // trimmed. A header before a packet makes it leave just after the next ones came, which costs one
  // place.
  struct Ends final : PacketOwner {
    void packet_arrived(PacketIndex packet, bool) override {
      ++(fabric->trimmed(packet) ? headers : whole);
    }
    void packet_lost(PacketIndex) override { ++lost; }
    void packet_left(PacketIndex) override {}
    PacketFabric* fabric = nullptr;
    int whole = 0, headers = 0, lost = 0;
  };
  for (const bool room_for_headers : {true, false}) {
    EventQueue queue;
    const Topology topology(star(5));
    SwitchSpec spec;
    spec.classes = {{.priority = 0, .overflow = ClassOverflow::trim, .buffer = bytes(8 * 8'400)},
                    {.priority = 6,
                     .carries = ClassContent::control,
                     .buffer = bytes(room_for_headers ? 84 * 40 : 84)}};
    Ends ends;
    PacketFabric fabric(queue, topology, spec, {}, 1, ends);
    ends.fabric = &fabric;
    for (std::int32_t from = 1; from < 5; ++from) {
      const std::vector<LinkIndex> links{
          static_cast<LinkIndex>(topology.egress_link(0, {from}, 0)),
          static_cast<LinkIndex>(topology.switch_to_npu_link(0, {0}))};
      const PathIndex path = fabric.add_path(links);
      for (int i = 0; i < 10; ++i)
        fabric.send(fabric.allocate(), {.path = path, .wire_bytes = 8'400, .can_be_trimmed = true});
    }
    queue.run();
    CHECK(ends.whole + ends.headers + ends.lost == 40);
    CHECK(fabric.statistics().trimmed == 40 - static_cast<std::uint64_t>(ends.whole));
    CHECK(ends.whole >= 17);
    CHECK(ends.whole <= 18);
    CHECK((ends.lost > 0) == !room_for_headers);
  }
}

TEST_CASE("an incast of NDP ends when the link has carried it, without a timeout") {
  // 63 x 2 MB: 63 (2,000,000 + 82 x 489) B x 80 ps = 10.282 ms, and a round trip. Pulls go out in
  // the time of a full packet; headers of the first windows take 84 B each of the same link.
  NetworkUnderTest net("packet", star(64), placed(TransportKind::ndp));
  for (std::int32_t from = 1; from < 64; ++from) net.send(from, 0, 2'000'000);
  net.queue.run();
  const double expected = 63.0 * (2'000'000 + 82 * 489) * 80e-6;
  const double last = static_cast<double>(last_of(net).value) * 1e-6;
  CHECK(last >= expected);
  CHECK(last <= expected * 1.03 + 5);
  const PacketStatistics packets = statistics_of(net);
  CHECK(packets.timeouts == 0);
  CHECK(packets.trimmed > 0);
  // Whole packets are never lost, and each trimmed one is sent again.
  CHECK(packets.retransmissions >= packets.trimmed);
}

TEST_CASE("headers that find no room go back to their senders, and nothing waits for a timeout") {
  NetworkSpec spec = placed(TransportKind::ndp);
  spec.switches.classes = {
      {.priority = 3, .overflow = ClassOverflow::trim, .buffer = bytes(8 * 4'178)},
      {.priority = 6, .carries = ClassContent::control, .buffer = bytes(10 * 84)}};
  const bool returns = GENERATE(true, false);
  spec.transport.ndp.return_to_sender = returns;
  NetworkUnderTest net("packet", star(32), spec);
  for (std::int32_t from = 1; from < 32; ++from) net.send(from, 0, 200'000);
  net.queue.run();
  for (const int delivered : net.log.deliveries) CHECK(delivered == 1);
  const PacketStatistics packets = statistics_of(net);
  CHECK(packets.drops > 0);
  CHECK((packets.returned > 0) == returns);
  CHECK((packets.timeouts > 0) == !returns);
}

TEST_CASE("an incast of UET completes within 5 % of ideal under each control") {
  for (const UetControl control : {UetControl::nscc, UetControl::rccc, UetControl::both}) {
    NetworkSpec spec = placed(TransportKind::uet);
    spec.transport.uet.control = control;
    NetworkUnderTest net("packet", star(65), spec);
    for (std::int32_t from = 1; from < 65; ++from) net.send(from, 0, 2'000'000);
    net.queue.run();
    const double expected = 64.0 * (2'000'000 + 82 * 489) * 80e-6;
    INFO(name_of(control));
    CHECK(static_cast<double>(last_of(net).value) * 1e-6 <= expected * 1.05);
    CHECK(statistics_of(net).timeouts == 0);
  }
}

TEST_CASE("credits of UET come at the pace of the receiver's links, however few packets come") {
  // The link to the receiver has a quarter of its rate, while the receiver's own, over which it
  // asks, are whole. 2 MB in 489 packets take 489 x 4,178 B x 320 ps = 653.8 us of it. NDP asks for
  // a packet for each that came: one BDP stays on its way, 17 packets, of which its queue holds
  // eight. UET's credits keep the sender at its line rate: 653.8 / 0.334 = 1,956 packets, three of
  // four trimmed, 1,467, but for what the queue takes first (150 kB: 36). Their headers take 3 x 84
  // of 4,178 B of the link: 6 % longer, and as much more.
  const Topology topology(star(2));
  const auto slow = static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}));
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet}) {
    NetworkSpec spec = placed(kind);
    spec.transport.uet.control = UetControl::rccc;
    spec.routing.faults.push_back({.at = Time{},
                                   .link = slow,
                                   .node = {},
                                   .condition = LinkCondition::degraded,
                                   .bandwidth = gigabits_per_second(25)});
    NetworkUnderTest net("packet", star(2), spec);
    const auto message = net.send(0, 1, 2'000'000);
    net.queue.run();
    const PacketStatistics packets = statistics_of(net);
    CHECK(net.delivered(message) >= microseconds(653));
    CHECK(net.delivered(message) <= microseconds(710));
    CHECK(packets.timeouts == 0);
    if (kind == TransportKind::ndp) CHECK(packets.trimmed < 489);
    if (kind == TransportKind::uet) CHECK(packets.trimmed >= 1'400);
    if (kind == TransportKind::uet) CHECK(packets.trimmed <= 1'580);
  }
}

TEST_CASE("a pull of UET stands for up to four packets, so an incast asks with a quarter of them") {
  // Each data packet and each header is answered; what else there is are pulls. Eight senders begin
  // with 1.5 BDP each, and are asked for the rest.
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet}) {
    NetworkSpec spec = placed(kind);
    spec.transport.uet.control = UetControl::rccc;
    NetworkUnderTest net("packet", star(9), spec);
    for (std::int32_t from = 1; from < 9; ++from) net.send(from, 0, 4'096'000);
    net.queue.run();
    const PacketStatistics packets = statistics_of(net);
    CHECK(packets.drops == 0);
    const std::uint64_t data = 8'000 + packets.retransmissions;
    const double pulls = static_cast<double>(packets.packets - 2 * data);
    const double share = pulls / static_cast<double>(data);
    if (kind == TransportKind::ndp) CHECK(share > 0.9);
    if (kind == TransportKind::uet) CHECK(share < 0.3);
    if (kind == TransportKind::uet) CHECK(share > 0.2);
  }
}

TEST_CASE("lost packets, headers, acknowledgements and pulls: every message ends") {
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet})
    for (const bool trimming : {true, false})
      for (const double loss : {1e-4, 1e-2, 0.1}) {
        NetworkSpec spec = placed(kind, 1'000);
        spec.transport.uet.trimming = trimming;
        spec.transport.uet.control = trimming ? UetControl::both : UetControl::nscc;
        spec.transport.retries = 100;
        spec.switches.loss = loss;
        NetworkUnderTest net("packet", star(8), spec);
        for (std::int32_t from = 1; from < 8; ++from)
          for (const std::int64_t size : {0, 1, 50'000, 300'000}) net.send(from, 0, size);
        net.queue.run();
        for (const int delivered : net.log.deliveries) CHECK(delivered == 1);
        CHECK(net.network->unfinished().empty());
      }
}

TEST_CASE("a pair that hears nothing ends the run and says over which links") {
  NetworkSpec spec = placed(TransportKind::uet);
  spec.switches.loss = 1;
  NetworkUnderTest net("packet", star(2), spec);
  net.send(0, 1, 1);
  CHECK_THROWS_WITH(net.queue.run(), Catch::Contains("UET gave up npu 0 -> npu 1") &&
                                         Catch::Contains("packets lost"));
}

TEST_CASE("RCCC: credits by hand, to two senders in turn") {
  // A round trip is 2 (1 us + 334,240 ps) + 2 (1 us + 6,720 ps) = 4,681,920 ps, 58,524 B at 100
  // Gb/s. What 1.5 of it has room for, 22 packets of each sender, goes out unasked, until 22 x
  // 334,240 = 7,353,280 ps. At the switch A's and B's take turns, so the receiver has one of A at
  // 2,668,480 + 668,480 k, one of B 334,240 later. For each it grants one, as fast as its link
  // takes packets, which is just that: behind the acknowledgement, 6,720 ps, over two links of
  // 1,006,720. The k-th credit of A is with A at 2,668,480 + 6,720 + 2,013,440 + 668,480 k =
  // 4,688,640 + 668,480 k, that of B 334,240 later. Four credits of each have come when the line is
  // free, so the packets for the first ones follow each other in 334,240 ps. The packets of A go
  // with their credits from the eighth on (k = 8: 10,036,480), those of B from the seventh on.
  NetworkSpec spec = placed(TransportKind::uet);
  spec.transport.uet.control = UetControl::rccc;
  const std::array<std::array<std::int64_t, 10>, 2> begins{
      {{7'353'280, 7'687'520, 8'021'760, 8'356'000, 8'690'240, 9'024'480, 9'358'720, 9'692'960,
        10'036'480, 10'704'960},
       {7'353'280, 7'687'520, 8'021'760, 8'356'000, 8'690'240, 9'024'480, 9'358'720, 9'702'240,
        10'370'720, 11'039'200}}};
  for (const std::int32_t watched : {1, 2}) {
    NetworkUnderTest net("packet", star(3), spec);
    for (const std::int32_t from : {1, 2}) net.send(from, 0, 40 * 4'096);
    const auto sent = [&] {
      return statistics_of(net).links[net.topology.egress_link(0, {watched}, 0)].packets;
    };
    for (std::size_t step = 0; step < begins[0].size(); ++step) {
      const Time begin = Time{} + picoseconds(begins[static_cast<std::size_t>(watched - 1)][step]);
      INFO("sender " << watched << ", credit " << step);
      while (net.queue.next_time() < begin) net.queue.run_one();
      CHECK(sent() == 22 + step);
      while (net.queue.next_time() <= begin) net.queue.run_one();
      CHECK(sent() == 23 + step);
    }
    net.queue.run();
    CHECK(statistics_of(net).trimmed == 0);
    // 80 packets, one behind the other: 2,668,480 + 79 x 334,240.
    CHECK(last_of(net) == picoseconds(29'073'440));
  }
}

TEST_CASE("a slow receiver's penalty keeps its NIC from losing nearly as much") {
  // One flow of 8 MB to a host that takes 20 Gb/s. Its NIC has 30 kB for it (1.5 kB for each Gb/s)
  // and trims what it has no room for. NSCC alone sees delay and trims; with penalties it holds
  // back as soon as the NIC fills. With RCCC credits come as fast as the link, not the host.
  NetworkSpec spec = placed(TransportKind::uet);
  spec.switches.slow = {{.npu = 0, .rate = gigabits_per_second(20)}};
  NetworkUnderTest net("packet", star(2), spec);
  net.send(1, 0, 8'000'000);
  net.queue.run();
  const double host = 8'000'000 * 4'178.0 / 4'096 / 2.5e9;
  // The penalty falls with the fill, so the NIC runs dry now and then: measured 1.16 times that.
  CHECK(static_cast<double>(last_of(net).value) * 1e-12 <= host * 1.2);
  CHECK(statistics_of(net).trimmed < 100);  // of 1,954 packets
}

// What a pair that begins later sends leaves its NIC, as that of the first pair does: a packet of
// 4,096 + 82 B at 100 Gb/s, 80 ps a byte.
TEST_CASE("the ends of messages to a second host leave, too, where switches choose links") {
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 2, 2, cable}, {"spine", 2, 0, cable}};
  for (const TransportKind kind : {TransportKind::ndp, TransportKind::uet}) {
    NetworkUnderTest net("packet", build_tree(tree), placed(kind));
    net.send(0, 2, 4'096);
    net.queue.run();
    const Time begin = net.queue.now();
    const auto second = net.send(0, 3, 4'096);
    net.queue.run();
    CHECK(net.injected(second) == begin - Time{} + picoseconds(80 * 4'178));
  }
}

TEST_CASE("values that came back marked are left out: UET goes around a slow spine") {
  // One flow over four spines, one at a tenth of its rate. By turns of 64 values a quarter would go
  // over it: 10/4 of the time alone. Marked and late values miss their turns.
  const Wire cable{gigabits_per_second(100), microseconds(1)};
  TreeSpec tree;
  tree.tiers = {{"leaf", 4, 4, cable}, {"spine", 4, 0, cable}};
  NetworkSpec spec = placed(TransportKind::uet);
  NetworkUnderTest shape("packet", build_tree(tree), spec);
  LinkIndex slow = 0;
  while (shape.topology.links()[slow].from.value < shape.topology.npu_count() ||
         shape.topology.links()[slow].to.value < shape.topology.npu_count())
    ++slow;
  spec.routing.faults = {{.at = Time{},
                          .link = slow,
                          .node = {},
                          .condition = LinkCondition::degraded,
                          .bandwidth = gigabits_per_second(10)}};
  NetworkUnderTest net("packet", build_tree(tree), spec);
  for (std::int32_t from = 0; from < 4; ++from) net.send(from, 4 + from, 10'000'000);
  net.queue.run();
  const double alone = 10e6 * 4'178 / 4'096 * 80e-12;
  const double took = static_cast<double>(last_of(net).value) * 1e-12;
  CHECK(took >= alone * 4 / 3.1 * 0.98);  // what the four links can carry
  CHECK(took <= alone * 2.5);
}

}  // namespace
}  // namespace orrery
