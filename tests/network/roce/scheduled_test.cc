// PIAS and pFabric over the packet backend: a short message that comes in the middle of a long one,
// and queues by what is left. 100 Gb/s: 80 ps a byte.
#include <catch2/catch.hpp>

#include <algorithm>

#include "network/packet/packet_fabric.h"
#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

using test::NetworkUnderTest;

TopologySpec scheduled_star(std::int32_t size) {
  return {{{"", LevelKind::switched, size, gigabits_per_second(100), microseconds(1),
            Scope::scale_out}}};
}

constexpr std::int64_t full = 334'240;  // ps, of a packet of 4,096 B with 82 B of headers
constexpr std::int64_t reth = 1'280;    // 16 B more on the first packet of a message
constexpr std::int64_t link = 1'000'000;

// The long message, 1 -> 0, begins at 0. Its packet k has left NPU 1 at (k + 1) full + reth, and is
// at the switch 1 us later. The port to NPU 0 sends packet 0 for full + reth, so it begins packet k
// at (k + 1) full + 2 reth + 1 us, without a gap: one BDP is 14.01 packets, and 15 are allowed. The
// short message, 2 -> 0, begins at 40.5 full + reth: its first packet is at the switch in the
// middle of packet 40 there, which ends at
constexpr std::int64_t begin = 81 * full / 2 + reth;
constexpr std::int64_t end_of_40 = 42 * full + 2 * reth + link;

Duration short_behind_long(const NetworkSpec& spec, std::int64_t packets) {
  NetworkUnderTest net("packet", scheduled_star(3), spec);
  net.send(1, 0, 1'000 * 4'096);
  std::size_t message = 0;
  net.queue.schedule(picoseconds(begin), [&] { message = net.send(2, 0, packets * 4'096); });
  net.queue.run();
  CHECK(net.network->statistics().packets->drops == 0);
  return net.delivered(message);
}

NetworkSpec pias(std::vector<Bytes> thresholds) {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::pias;
  spec.transport.pias.thresholds = std::move(thresholds);
  return spec;
}

TEST_CASE("pFabric: a short message sees an idle network but for one packet, exact") {
  // Its packets follow each other from the end of packet 40 on; the last one is 1 us later there.
  // An idle network: full + reth and 1 us of the first link, 8 full + reth and 1 us of the second;
  // what it waits more is half of packet 40.
  NetworkSpec spec;
  spec.transport.kind = TransportKind::pfabric;
  const Duration delivered = short_behind_long(spec, 8);
  CHECK(delivered == picoseconds(end_of_40 + 8 * full + reth + link));
  const std::int64_t idle = 9 * full + 2 * reth + 2 * link;
  CHECK(delivered == picoseconds(begin + idle + full / 2));
}

TEST_CASE("PIAS: a short message goes first up to its threshold, and then in turn, exact") {
  // 16,384 B: four packets. A message of four goes as under pFabric.
  CHECK(short_behind_long(pias({bytes(16'384)}), 4) ==
        picoseconds(end_of_40 + 4 * full + reth + link));
  // One of eight: its packets 4 to 7 are in the class of the long one, and come at 3.5, 4.5, 5.5
  // and 6.5 full behind the end of packet 40. Packets 41 to 44 have come by 3 full - reth, one each
  // full: they go before packet 4. Then the two come in turn: 45 at 4 full, 46 at 5 full, 47 at 6.
  // So seven packets of the long one and eight of the short one are sent behind packet 40.
  CHECK(short_behind_long(pias({bytes(16'384)}), 8) ==
        picoseconds(end_of_40 + 15 * full + reth + link));
  // Of five, packet 4 alone is in that class, for the four before it are the threshold: the four of
  // the short one, 41 to 44, and packet 4 are sent.
  CHECK(short_behind_long(pias({bytes(16'384)}), 5) ==
        picoseconds(end_of_40 + 9 * full + reth + link));
  // Three classes, with thresholds of 4 and 8 packets, are as good as two, for the long one is in
  // the last.
  CHECK(short_behind_long(pias({bytes(16'384), bytes(32'768)}), 8) ==
        picoseconds(end_of_40 + 8 * full + reth + link));
}

struct Log final : PacketOwner {
  void packet_arrived(PacketIndex packet, bool) override { arrived.push_back(packet); }
  void packet_lost(PacketIndex packet) override { lost.push_back(packet); }
  void packet_left(PacketIndex) override {}
  std::vector<PacketIndex> arrived, lost;
};

TEST_CASE("a queue by rank sends the earliest packet of the best flow, and loses the worst") {
  // Four senders send at once; so packets of equal size come to the switch at the same times, in
  // the order in which they were sent: 0 is sent on, and the others wait. There is room for three.
  SwitchSpec spec;
  PacketClass data;
  data.priority = 3;
  data.least_first = true;
  data.buffer = bytes(3'000);
  spec.classes = {data};
  EventQueue queue;
  Topology topology(scheduled_star(6));
  Log log;
  PacketFabric fabric(queue, topology, spec, {}, 1, log);
  const auto send = [&](std::int32_t from, std::uint32_t flow, std::uint64_t rank) {
    const std::vector<LinkIndex> links{static_cast<LinkIndex>(topology.egress_link(0, {from}, 0)),
                                       static_cast<LinkIndex>(topology.switch_to_npu_link(0, {0}))};
    fabric.send(fabric.allocate(), {.path = fabric.add_path(links),
                                    .wire_bytes = 1'000,
                                    .priority = 3,
                                    .flow = flow,
                                    .rank = rank});
  };
  send(1, 1, 90);  // 0: goes at once
  send(2, 2, 50);  // 1
  send(3, 3, 80);  // 2: the worst of the queue when 4 comes, so it is lost
  send(4, 4, 70);  // 3
  send(5, 2, 40);  // 4: the best, of the flow of 1, which goes first
  // A packet later: 5 is not better than the worst that waits, 3; so it is lost itself.
  queue.schedule(nanoseconds(1), [&] { send(1, 5, 70); });
  queue.run();
  CHECK(log.lost == std::vector<PacketIndex>{2, 5});
  CHECK(log.arrived == std::vector<PacketIndex>{0, 1, 4, 3});
}

TEST_CASE("messages of one pair do not wait for each other: each is a flow of its own") {
  // 1,000 packets and then 1 from 1 to 0. The short one leaves behind the packet that is being sent
  // when it comes, at half of packet 3: pFabric and PIAS take it first.
  for (const TransportKind kind : {TransportKind::pfabric, TransportKind::pias}) {
    NetworkSpec spec;
    spec.transport.kind = kind;
    spec.transport.pias.thresholds = std::vector{bytes(4'096)};
    NetworkUnderTest net("packet", scheduled_star(2), spec);
    net.send(1, 0, 1'000 * 4'096);
    std::size_t message = 0;
    net.queue.schedule(picoseconds(reth + 7 * full / 2), [&] { message = net.send(1, 0, 4'096); });
    net.queue.run();
    // The NIC is free at 4 full + reth; packet 3 of the long one then is at the switch at + 1 us
    // and is sent until 5 full + 2 reth + 1 us. The short one is there before it has left.
    CHECK(net.delivered(message) == picoseconds(6 * full + 3 * reth + 2 * link));
  }
}

TEST_CASE("what pFabric loses comes back by timeouts, and every message arrives") {
  for (const std::int64_t queue : {1, 4, 40})
    for (const double loss : {0.0, 0.02}) {
      NetworkSpec spec;
      spec.transport.kind = TransportKind::pfabric;
      spec.switches.loss = loss;
      PacketClass data;
      data.priority = 3;
      data.least_first = true;
      data.buffer = bytes(4'194 * queue);
      spec.switches.classes = {data};
      NetworkUnderTest net("packet", scheduled_star(16), spec);
      for (std::int32_t from = 1; from < 16; ++from) net.send(from, 0, 100'000 * from);
      net.queue.run();
      CHECK(std::ranges::count_if(net.log.delivered_at,
                                  [](Time at) { return at != Time::never(); }) == 15);
      const PacketStatistics packets = *net.network->statistics().packets;
      CHECK(packets.drops > 0);
      CHECK(packets.timeouts > 0);
      // 15 senders x 16 / 2 x 100 kB: 12 MB with 82 B each take 979.2 us of the last link.
      CHECK(*std::ranges::max_element(net.log.delivered_at) - Time{} > microseconds(979));
    }
}

}  // namespace
}  // namespace orrery
