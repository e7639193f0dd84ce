// RoCE over the packet backend: closed forms of messages that are alone, meet, or are lost.
#include <catch2/catch.hpp>

#include "network/network_error.h"
#include "tests/network/network_under_test.h"
#include "tests/network/roce/shared_port.h"

namespace orrery {
namespace {

using test::NetworkUnderTest;
using test::roce;

// 100 Gb/s: 80 ps a byte.
TopologySpec one_level(LevelKind kind, std::int32_t size, Duration latency = nanoseconds(500),
                       std::int64_t gigabits = 100) {
  return {{{"", kind, size, gigabits_per_second(gigabits), latency, Scope::scale_out}}};
}

std::int64_t packets_of(std::int64_t size, std::int64_t payload) {
  return std::max<std::int64_t>(1, (size + payload - 1) / payload);
}

TEST_CASE("a message alone arrives to the picosecond") {
  // S bytes in packets of at most m, each with 82 B of headers and the first with 16 B more (RETH),
  // over h links of latency L: the first packet is the largest, so the others never wait for a
  // smaller one: h L + sum(w) / B + (h - 1) w_0 / B. On a ring of 10, NPU k is k links away.
  for (const std::int64_t payload : {256, 1'000, 4'096, 9'000})
    for (const std::int32_t hops : {1, 2, 4})
      for (const std::int64_t size : {1, 255, 4'096, 4'097, 1'000'000}) {
        NetworkUnderTest net("packet", one_level(LevelKind::ring, 10), roce("dcqcn", payload));
        const auto message = net.send(0, hops, size);
        net.queue.run();
        const std::int64_t wire = size + 82 * packets_of(size, payload) + 16;
        const std::int64_t first = std::min(size, payload) + 82 + 16;
        CHECK(net.delivered(message) ==
              nanoseconds(500) * hops + picoseconds(80 * (wire + (hops - 1) * first)));
        // The last byte leaves when all are on the first link.
        CHECK(net.injected(message) == picoseconds(80 * wire));
      }
}

TEST_CASE("64 MB alone arrive to the picosecond in packets of other sizes") {
  // Through a switch, two links of 500 ns.
  for (const std::int64_t payload : {256, 1'000, 9'000}) {
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), roce("none", payload));
    const auto message = net.send(0, 1, 64'000'000);
    net.queue.run();
    CHECK(net.delivered(message) ==
          microseconds(1) + picoseconds(80) * (64'000'000 + 82 * packets_of(64'000'000, payload) +
                                               16 + payload + 98));
  }
}

TEST_CASE("64 MB run at 4096/4178 of the line, under every control") {
  // 15,625 packets; through a switch (two links).
  for (const std::string control : {"none", "dcqcn", "timely", "swift", "dctcp"}) {
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), roce(control));
    const auto message = net.send(0, 1, 64'000'000);
    net.queue.run();
    CHECK(net.delivered(message) ==
          microseconds(1) + picoseconds(80) * (64'000'000 + 82 * 15'625 + 16 + 4'096 + 98));
  }
}

TEST_CASE("the source knows of a delivery when its last acknowledgement is there") {
  // Two links back, of 500 ns and 86 B of 80 ps each.
  const Duration back = microseconds(1) + picoseconds(std::int64_t{2 * 86 * 80});
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), roce());
  const auto first = net.send(0, 1, 100'000);
  const auto second = net.send(0, 1, 1);
  net.queue.run();
  CHECK(net.acknowledged(first) == net.delivered(first) + back);
  // That of the second waits at no link for that of the first: a packet takes longer than an
  // acknowledgement.
  CHECK(net.acknowledged(second) == net.delivered(second) + back);
}

TEST_CASE("a lost acknowledgement holds the source up for a timeout, and not the receiver") {
  // One packet. Whichever of the two links loses its acknowledgement, the packet is sent again
  // after 4 ms. Losses are drawn; of 40 messages some lose nothing but that.
  std::size_t late = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    NetworkSpec spec = roce();
    spec.switches.loss = 0.1;
    spec.seed = seed;
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
    const auto message = net.send(0, 1, 1);
    net.queue.run();
    REQUIRE(net.acknowledged(message) > net.delivered(message));
    if (net.delivered(message) > milliseconds(1) || net.acknowledged(message) < milliseconds(1))
      continue;
    ++late;
    CHECK(net.acknowledged(message) > milliseconds(4));
  }
  CHECK(late > 0);
}

TEST_CASE("what senders wait for is counted") {
  // Ten packets, a window of one: each but the last waits for its acknowledgement. On 80 ps a byte
  // and two links of 500 ns each way, of w bytes that is 2 x 80 w + 2 x 86 x 80 + 2 us, of which
  // the line is busy for 80 w; w = 4,178, of the first 4,194.
  NetworkSpec spec = roce();
  spec.transport.roce.window = {PairWindow::Kind::bytes, bytes(4'096)};
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
  net.send(0, 1, 40'960);
  net.queue.run();
  const SenderTimes alone = net.network->statistics().packets->senders;
  const std::int64_t sent = 8 * 4'178 + 4'194;
  const std::int64_t all = 160 * sent + 9 * (2 * 86 * 80 + 2'000'000);
  CHECK(alone.with_data == picoseconds(all));
  CHECK(alone.by_window == picoseconds(all - 80 * sent));
  CHECK(alone.by_rate == Duration{});
  // Eight senders to one receiver: marks lower DCQCN's rates; without a control there are none.
  for (const std::string control : {"none", "dcqcn"}) {
    NetworkSpec lasting = roce(control);
    lasting.transport.roce.window = {PairWindow::Kind::none, {}};
    NetworkUnderTest incast("packet", one_level(LevelKind::switched, 9), lasting);
    for (std::int32_t from = 1; from < 9; ++from) incast.send(from, 0, 4'000'000);
    incast.queue.run();
    const SenderTimes times = incast.network->statistics().packets->senders;
    CHECK((times.by_rate > Duration{}) == (control == "dcqcn"));
    CHECK(times.by_rate + times.by_window <= times.with_data);
  }
}

TEST_CASE("a message without bytes is a packet") {
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), roce());
  const auto message = net.send(0, 1, 0);
  net.queue.run();
  CHECK(net.delivered(message) == microseconds(1) + picoseconds(80 * 2 * 98));
}

TEST_CASE("bytes on the wire are exact: data, acknowledgements, notifications") {
  // 10,000 B are 3 packets: 10,000 + 3 x 82 + 16 there, an acknowledgement of 86 B each back. With
  // one for 16 packets only the last one is acknowledged.
  for (const std::int32_t every : {1, 16}) {
    NetworkSpec spec = roce();
    spec.transport.roce.ack_every = every;
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
    net.send(0, 1, 10'000);
    net.queue.run();
    const PacketStatistics packets = *net.network->statistics().packets;
    CHECK(packets.links[net.topology.egress_link(0, {0}, 0)].sent == bytes(10'262));
    CHECK(packets.links[net.topology.egress_link(0, {1}, 0)].sent == bytes(every == 1 ? 258 : 86));
  }
}

TEST_CASE("an incast without control ends when the link has carried it, and loses nothing") {
  // 63 x 4 MB: 63 (4,000,000 + 82 x 977 + 16) B x 80 ps = 20,563.9 us; then the path: 1 us and the
  // first packet's 0.336 us on the first link. A window of one BDP (29 kB) of each of the 63 fits
  // into the memory, so nobody is paused. Without a window 252 MB come to a switch of 32 MB: all
  // 63 links are paused, and the receiver's is as busy as before.
  for (const PairWindow::Kind window : {PairWindow::Kind::bdp, PairWindow::Kind::none}) {
    NetworkSpec spec = roce();
    spec.transport.roce.window.kind = window;
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 64), spec);
    for (std::int32_t from = 1; from < 64; ++from) net.send(from, 0, 4'000'000);
    net.queue.run();
    Time last;
    for (const Time at : net.log.delivered_at) last = std::max(last, at);
    const double expected = 63.0 * (4'000'000 + 82 * 977 + 16) * 80e-6 + 1.336;
    CHECK(static_cast<double>((last - Time{}).value) * 1e-6 == Approx(expected).epsilon(0.001));
    const PacketStatistics packets = *net.network->statistics().packets;
    CHECK(packets.drops == 0);
    CHECK(packets.pauses.size() == (window == PairWindow::Kind::none ? 63 : 0));
  }
}

// 63 senders at line rate, without a window: 252 MB are on their way to a switch of 128 MB within
// 320 us at 100 Gb/s (80 us at 400), in which the receiver's link takes a 63rd of them. With PFC
// nothing is lost; without it some must be, whatever the memory does. Cables have 5 ns a metre.
void check_pauses(std::int64_t payload) {
  for (const std::int64_t gigabits : {100, 400})
    for (const std::int64_t metres : {5, 100, 2'000})
      for (const bool lossless : {true, false}) {
        NetworkSpec spec = roce("none", payload);
        spec.transport.roce.window.kind = PairWindow::Kind::none;
        spec.switches.buffer = bytes(128'000'000);
        spec.switches.pfc.enabled = lossless;
        NetworkUnderTest net(
            "packet", one_level(LevelKind::switched, 64, nanoseconds(5 * metres), gigabits), spec);
        for (std::int32_t from = 1; from < 64; ++from) net.send(from, 0, 4'000'000);
        CAPTURE(payload, gigabits, metres, lossless);
        if (lossless)
          net.queue.run();
        else  // to where all would be sent; what comes after is sent again
          while (net.queue.now() < Time{microseconds(32'000 / gigabits)}) net.queue.run_one();
        const PacketStatistics packets = *net.network->statistics().packets;
        CHECK((packets.drops == 0) == lossless);
        if (!lossless) continue;
        CHECK(packets.retransmissions == 0);
        CHECK(!packets.pauses.empty());
        for (const int delivered : net.log.deliveries) CHECK(delivered == 1);
      }
}

TEST_CASE("pauses make an incast lossless without a window, and it is not without them") {
  for (const std::int64_t payload : {4'096, 9'000}) check_pauses(payload);
}

TEST_CASE("pauses make an incast of small packets lossless, too", "[slow]") {
  for (const std::int64_t payload : {256, 1'000}) check_pauses(payload);
}

// 37 packets a round trip: 4 L + 2 x 334.24 ns + 2 x 6.88 ns = 37 x 334.24 ns.
NetworkSpec lossy(RecoveryKind recovery, double loss) {
  NetworkSpec spec = roce();
  spec.switches.pfc.enabled = false;
  spec.switches.loss = loss;
  spec.transport.roce.recovery = recovery;
  spec.transport.roce.window = {PairWindow::Kind::bytes, bytes(37 * 4'096)};
  // A lost NACK, or a packet that is lost again, waits for the timeout: 4 ms would be most of the
  // time.
  spec.transport.roce.nack_interval = microseconds(25);
  spec.transport.roce.rto = microseconds(50);
  return spec;
}

TEST_CASE("goodput under loss: go-back-N and selective repeat") {
  // Each of the two links loses a packet with p/2: p = 1 %. Go-back-N sends a window of W packets
  // again for each loss: (1 - p) / (1 - p + p W) = 0.728 for W = 37; selective repeat the packet:
  // 0.99. 100,000 packets, whose losses vary by 3 %, that is 0.9 % of the time of go-back-N.
  for (const auto& [recovery, goodput, within] :
       {std::tuple(RecoveryKind::go_back_n, 0.728, 0.05),
        std::tuple(RecoveryKind::selective_repeat, 0.99, 0.02)}) {
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 2, picoseconds(2'921'000)),
                         lossy(recovery, 0.005));
    const auto message = net.send(0, 1, 100'000 * std::int64_t{4'096});
    net.queue.run();
    const double line = 100'000 * 4'178 * 80e-6;  // us
    const double time = static_cast<double>(net.delivered(message).value) * 1e-6;
    CHECK(line / time == Approx(goodput).epsilon(within));
  }
}

TEST_CASE("goodput under loss of the link to the receiver alone: NACKs are never lost") {
  // As above with p = 1 % on one link; acknowledgements come over another one. A packet that is
  // lost again waits for the timeout of 50 us: with selective repeat p^2 x 50 us = 5 ns a packet of
  // 334 ns, 1.5 %.
  for (const auto& [recovery, goodput, within] :
       {std::tuple(RecoveryKind::go_back_n, 0.728, 0.05),
        std::tuple(RecoveryKind::selective_repeat, 0.99, 0.02)}) {
    const TopologySpec shape = one_level(LevelKind::switched, 2, picoseconds(2'921'000));
    const Topology topology(shape);
    NetworkSpec spec = lossy(recovery, 0);
    const auto down = static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1}));
    spec.switches.lossy_links = {{down, 0.01}};
    NetworkUnderTest net("packet", shape, spec);
    const auto message = net.send(0, 1, 100'000 * std::int64_t{4'096});
    net.queue.run();
    const double line = 100'000 * 4'178 * 80e-6;  // us
    const double time = static_cast<double>(net.delivered(message).value) * 1e-6;
    CHECK(line / time == Approx(goodput).epsilon(within));
    const PacketStatistics packets = *net.network->statistics().packets;
    CHECK(packets.links[down].drops == packets.drops);
    CHECK(packets.drops > 900);
    // By link, class and cause: all of the data's class, before that link, by the link.
    const auto lost = [](const ClassQueueStatistics& row) { return sum_of(row.drops) > 0; };
    const auto row = std::ranges::find_if(packets.classes, lost);
    REQUIRE(row != packets.classes.end());
    CHECK(row->link == down);
    CHECK(row->priority == 3);
    CHECK(row->drops[static_cast<std::size_t>(DropCause::random)] == packets.drops);
    CHECK(std::ranges::count_if(packets.classes, lost) == 1);
  }
}

TEST_CASE("whatever is lost, every message arrives once") {
  // Data, last packets, acknowledgements, NACKs and CNPs alike.
  for (const RecoveryKind recovery : {RecoveryKind::go_back_n, RecoveryKind::selective_repeat})
    for (const double loss : {1e-5, 1e-3, 1e-2, 0.1})
      for (const std::string control : {"dcqcn", "hpcc", "timely", "swift", "dctcp", "none"}) {
        NetworkSpec spec = roce(control);
        spec.switches.loss = loss;
        spec.transport.roce.recovery = recovery;
        spec.transport.roce.rto = microseconds(100);
        spec.transport.roce.ack_every = 4;
        spec.transport.retries = 50;
        NetworkUnderTest net("packet", one_level(LevelKind::switched, 8), spec);
        for (std::int32_t i = 0; i < 24; ++i) net.send(1 + i % 7, 0, 40'000 * (i % 4));
        net.queue.run();
        for (std::size_t i = 0; i < net.log.deliveries.size(); ++i) {
          CHECK(net.log.deliveries[i] == 1);
          CHECK(net.log.injections[i] == 1);
        }
      }
}

TEST_CASE("lost notifications slow nobody for ever") {
  // Seven senders meet, and the ramp marks from 10 kB on; what goes back from the receiver,
  // acknowledgements and CNPs, is lost with 30 %. Of 50 CNPs none would be lost once in 5 x 10^7
  // runs. No data is lost, so all that is sent again is sent for lost acknowledgements.
  NetworkSpec spec = roce("dcqcn");
  PacketClass data, control;
  data.priority = 3;
  data.lossless = true;
  data.ecn = EcnRamp{.minimum = bytes(10'000), .maximum = bytes(20'000)};
  control.priority = 6;
  control.carries = ClassContent::control;
  spec.switches.classes = {data, control};
  spec.transport.roce.rto = microseconds(500);
  spec.transport.retries = 100;
  const TopologySpec shape = one_level(LevelKind::switched, 8);
  const auto back = static_cast<LinkIndex>(Topology(shape).egress_link(0, {0}, 0));
  spec.switches.lossy_links = {{back, 0.3}};
  NetworkUnderTest net("packet", shape, spec);
  for (std::int32_t from = 1; from < 8; ++from) net.send(from, 0, 4'000'000);
  net.queue.run();
  for (const int count : net.log.deliveries) CHECK(count == 1);
  for (const int count : net.log.injections) CHECK(count == 1);
  const PacketStatistics packets = *net.network->statistics().packets;
  CHECK(packets.notifications > 50);
  CHECK(packets.links[back].drops == packets.drops);
  CHECK(
      static_cast<double>(packets.drops) ==
      Approx(0.3 * static_cast<double>(packets.drops + packets.links[back].packets)).epsilon(0.1));
}

TEST_CASE("ten million packets under every control arrive, and none is lost", "[slow]") {
  // 16 NPUs send 42 MB each to the next one and, but for the first, to the first: 31 messages of
  // 164,063 packets of at most 256 B, each with an acknowledgement: 10,171,906, and CNPs.
  for (const std::string control : {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"}) {
    NetworkUnderTest net("packet", one_level(LevelKind::switched, 16), roce(control, 256));
    for (std::int32_t from = 0; from < 16; ++from) {
      net.send(from, (from + 1) % 16, 42'000'000);
      if (from > 0) net.send(from, 0, 42'000'000);
    }
    net.queue.run();
    CAPTURE(control);
    for (const int count : net.log.deliveries) CHECK(count == 1);
    const PacketStatistics packets = *net.network->statistics().packets;
    CHECK(packets.packets >= 10'171'906);
    CHECK(packets.drops == 0);
  }
}

TEST_CASE("a pair that nothing answers ends the run") {
  NetworkSpec spec = roce();
  spec.switches.loss = 0.999;
  spec.transport.retries = 3;
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
  net.send(0, 1, 1'000);
  CHECK_THROWS_AS(net.queue.run(), NetworkError);
}

TEST_CASE("gaps that are refused for ever do not hold up the timeout") {
  // Without a window and pauses a host that takes a tenth of its line loses nearly all: what it
  // takes is beyond the gap, and is refused. A refusal is no progress, so a packet that is not
  // taken in four timeouts of 4 ms in a row ends the run. Each refusal once restarted the clock.
  NetworkSpec spec = roce("none");
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  spec.transport.retries = 3;
  spec.switches.pfc.enabled = false;
  spec.switches.buffer = bytes(4'000'000);
  spec.switches.slow = {{.npu = 1, .rate = gigabits_per_second(10)}};
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 4, microseconds(1)), spec);
  net.send(0, 1, 8'000'000);
  CHECK_THROWS_WITH(net.queue.run(), Catch::Contains("in 4 timeouts of 4 ms"));
  CHECK(net.queue.now() < Time{milliseconds(30)});
}

TEST_CASE("acknowledgements coalesce, and the last packet is always acknowledged") {
  // 5 packets, an acknowledgement for each 4: of the fourth and of the fifth, which ends the
  // message. The sender waits for no timeout.
  NetworkSpec spec = roce();
  spec.transport.roce.ack_every = 4;
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
  net.send(0, 1, 5 * 4'096);
  net.queue.run();
  const PacketStatistics packets = *net.network->statistics().packets;
  CHECK(packets.packets == 5 + 2);
  CHECK(packets.timeouts == 0);
  CHECK(packets.retransmissions == 0);
}

TEST_CASE("a pair that gets on does not give up, however many timeouts it had") {
  // A packet that is lost twice waits for the timeout: 2 % of the gaps, of which 20,000 packets
  // have 400, so 8. A pair gives up after three in a row without progress, 8 times in a million.
  NetworkSpec spec = lossy(RecoveryKind::selective_repeat, 0);
  spec.switches.loss = 0.01;  // on each of two links
  spec.transport.retries = 3;
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 2), spec);
  const auto message = net.send(0, 1, 20'000 * std::int64_t{4'096});
  net.queue.run();
  CHECK(net.log.deliveries[message] == 1);
  CHECK(net.network->statistics().packets->timeouts > 3);
}

TEST_CASE("a class that is paused does not hold back another one at the NIC") {
  // NPU 2 takes next to nothing, so the class of ordinary messages (3) of NPU 0 is paused soon; its
  // message of the highest class (5) for NPU 1 has the link for itself: 10 packets, less than 10
  // us.
  NetworkSpec spec = roce();
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  PacketClass low, high, control;
  low.priority = 3;
  high.priority = 5;
  control.priority = 6;
  low.lossless = high.lossless = true;
  control.carries = ClassContent::control;
  spec.switches.classes = {low, high, control};
  spec.switches.slow = {{.npu = 2, .rate = Bandwidth{12'500'000}}};
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 3), spec);
  net.send(0, 2, 40'000'000);
  while (net.queue.now() < Time{milliseconds(2)}) net.queue.run_one();
  REQUIRE(net.network->statistics().packets->pauses.size() == 2);  // the NIC's and the switch's
  const std::size_t urgent = net.log.prepare();
  const Time sent = net.queue.now();
  net.network->send({.source = {0},
                     .target = {1},
                     .size = bytes(40'960),
                     .token = {.owner = static_cast<std::uint32_t>(urgent)},
                     .traffic_class = TrafficClass::highest},
                    net.log);
  while (net.log.deliveries[urgent] == 0 && net.queue.now() < sent + microseconds(20))
    net.queue.run_one();
  CHECK(net.log.deliveries[urgent] == 1);
  CHECK(net.log.delivered_at[urgent] - sent < microseconds(10));
}

TEST_CASE("a watched pair reports window, rate and alpha") {
  // DCQCN, 3 to 1: the first CNP finds alpha = 1 and halves the rate of 12.5 GB/s. Samples are at
  // most 4,096, whatever is sent.
  NetworkSpec spec = roce("dcqcn");
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  spec.transport.watched = {{1, 0}};
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 4), spec);
  for (std::int32_t from = 1; from < 4; ++from) net.send(from, 0, 40'000'000);
  net.queue.run();
  const PacketStatistics packets = *net.network->statistics().packets;
  REQUIRE(packets.flows.size() == 1);
  const std::vector<FlowSample>& samples = packets.flows[0].samples;
  REQUIRE(samples.size() > 1'000);
  CHECK(samples.size() <= 4'096);
  CHECK(samples.front().rate == gigabits_per_second(100));
  std::size_t cut = 0;
  while (cut < samples.size() && samples[cut].rate == gigabits_per_second(100)) ++cut;
  REQUIRE(cut < samples.size());
  CHECK(samples[cut].rate == gigabits_per_second(50));
  for (const FlowSample& sample : samples) {
    REQUIRE(sample.congestion);
    CHECK(*sample.congestion <= 1);
    CHECK(*sample.congestion > 0);
  }
}

TEST_CASE("notifications: at most one in an interval") {
  // Two senders at line rate share a port for about 2 x 4 MB x 82 ps = 670 us; every packet behind
  // the first is marked. With one CNP in 50 us: at most 670 / 50 + 1 for each pair.
  NetworkSpec spec = roce("dcqcn");
  PacketClass data, control;
  data.priority = 3;
  data.lossless = true;
  data.ecn = EcnRamp{.minimum = bytes(0), .maximum = bytes(1)};
  control.priority = 6;
  control.carries = ClassContent::control;
  spec.switches.classes = {data, control};
  spec.transport.roce.dcqcn.additive_increase = gigabits_per_second(10);
  NetworkUnderTest net("packet", one_level(LevelKind::switched, 3), spec);
  net.send(1, 0, 4'000'000);
  net.send(2, 0, 4'000'000);
  net.queue.run();
  const PacketStatistics packets = *net.network->statistics().packets;
  const std::int64_t time = std::max(net.delivered(0), net.delivered(1)).value;
  CHECK(packets.notifications >= 4);
  CHECK(packets.notifications <= 2 * static_cast<std::uint64_t>(time / 50'000'000 + 1));
  CHECK(packets.marks > 10 * packets.notifications);
}

}  // namespace
}  // namespace orrery
