// TCP of ns-3 against closed forms. Numbers are derived in the comments; docs/models/ns3.md has the
// derivations.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "network/network_error.h"
#include "network/no_route.h"
#include "network/ns3/ns3_backend.h"
#include "tests/network/message_log.h"

namespace orrery {
namespace {

using test::MessageLog;

TopologySpec star(std::int32_t size, Bandwidth bandwidth, Duration latency) {
  return {{{"", LevelKind::switched, size, bandwidth, latency, Scope::scale_out}}};
}

struct Run {
  explicit Run(const TopologySpec& spec, const NetworkSpec& network = {})
      : topology(spec), backend(make_ns3_backend(queue, topology, network)), log(queue) {}
  void run() { queue.run(); }
  Duration end_of(std::size_t message) const { return log.delivered_at[message] - Time{}; }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> backend;
  MessageLog log;
};

TEST_CASE("a message of one packet takes its latency and two transmissions") {
  // 1,000 B and 40 of headers and 38 on the wire: 1,078 B, 86.24 ns at 100 Gb/s, on each of two
  // links (store and forward), and 500 ns of latency on each. TCP waits one tick of ns-3, 1 ps,
  // before it sends.
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)));
  run.log.send(*run.backend, 0, 1, bytes(1'000));
  run.run();
  CHECK(run.end_of(0) == nanoseconds(1'000) + picoseconds(2 * 86'240 + 1));
  CHECK(run.log.injected_at[0] - Time{} == picoseconds(86'240 + 1));
}

TEST_CASE("a long message fills the line, less the headers") {
  // Each segment of 8,960 B is 9,038 B on the wire: 100 Gb/s carry 99.137 Gb/s. With a window (1
  // MB) far above bandwidth times round trip (25 kB) nothing waits for acknowledgements: 40 MB take
  // 40e6 * 9038/8960 / 12.5e9 s = 3,227.86 us, and 1 us of latency and a packet more.
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)));
  run.log.send(*run.backend, 0, 1, bytes(40'000'000));
  run.run();
  const double us = static_cast<double>(run.end_of(0).value) * 1e-6;
  CHECK(us > 3'227.8);
  CHECK(us < 3'227.86 * 1.002 + 2);
}

// BBR paces at 1.25 and 0.75 of the rate in turn, so it is not far below the line's: 20 MB at 25
// GB/s take 800 us, 807 with headers. With the round trip of a handshake that takes no time it
// would keep four segments in flight: 35,840 B in a round trip of 4 us and four times 362 ns, 3 ms
// and more.
TEST_CASE("BBR knows the round trip of a handshake that was not simulated") {
  NetworkSpec network;
  network.transport.congestion_control = "bbr";
  Run run(star(2, gigabytes_per_second(25), microseconds(1)), network);
  run.log.send(*run.backend, 0, 1, bytes(20'000'000));
  run.run();
  CHECK(run.end_of(0) > microseconds(806));
  CHECK(run.end_of(0) < microseconds(1'200));
}

// Time between the two, in microseconds.
double microseconds_between(Time a, Time b) { return static_cast<double>((b - a).value) * 1e-6; }

TEST_CASE("goodput is the window over the round trip where the window binds") {
  // Two links of 25 us each way: a segment of 8,960 B (9,038 B on the wire, 723.04 ns at 100 Gb/s,
  // twice) and its acknowledgement (40 + 38 B, 6.24 ns, twice) have a round trip of
  // 100 us + 2 * 723.04 ns + 2 * 6.24 ns = 101.459 us. Every segment is acknowledged at once and
  // the window is a whole even number of segments, so each acknowledgement lets one segment go and
  // the window crosses once in a round trip: goodput = window / 101.459 us, far below the line's.
  for (const std::int64_t segments : {8, 32, 64}) {
    NetworkSpec network;
    network.transport.window = bytes(8'960 * segments);
    network.transport.initial_window = static_cast<std::int32_t>(segments);
    network.transport.delayed_ack_count = 1;
    Run run(star(4, gigabits_per_second(100), microseconds(25)), network);
    // Two messages, so that the second is sent by a connection that has started.
    const Bytes size = bytes(8'960 * segments * 50);
    run.log.send(*run.backend, 0, 1, size);
    run.log.send(*run.backend, 0, 1, size);
    run.run();
    const double round_trip = 101.459;
    const double took = microseconds_between(run.log.delivered_at[0], run.log.delivered_at[1]);
    INFO(segments << " segments: " << took << " us");
    CHECK(took > 50 * round_trip * 0.99);
    CHECK(took < 50 * round_trip * 1.01);
  }
}

TEST_CASE("goodput is the line rate net of headers where the window is ample") {
  // The same path; 1,600 segments of 723.04 ns are 1.157 ms, more than ten round trips: the line
  // binds. 8,960 of 9,038 bytes are data.
  NetworkSpec network;
  network.transport.window = bytes(8'960 * 1'600);
  network.transport.initial_window = 400;
  network.transport.delayed_ack_count = 1;
  Run run(star(4, gigabits_per_second(100), microseconds(25)), network);
  run.log.send(*run.backend, 0, 1, bytes(8'960 * 3'000));
  run.log.send(*run.backend, 0, 1, bytes(8'960 * 3'000));
  run.run();
  const double took = microseconds_between(run.log.delivered_at[0], run.log.delivered_at[1]);
  CHECK(took > 3'000 * 0.72304 * 0.99);
  CHECK(took < 3'000 * 0.72304 * 1.01);
}

// 15 senders of 0.4 MB to one receiver, at once, through a switch of 200 kB: the incast of the
// specification. The last byte is there after one minimum RTO and what is left to send after it.
double incast_microseconds(Duration minimum_rto, Duration granularity, Bytes buffer) {
  NetworkSpec network;
  network.transport.congestion_control = "linux_reno";
  network.transport.mtu = bytes(1'500);
  network.transport.link_overhead = bytes(2);
  network.transport.window = bytes(512'000);
  network.transport.minimum_rto = minimum_rto;
  network.transport.clock_granularity = granularity;
  network.switches.buffer = buffer;
  Run run(star(16, gigabits_per_second(100), nanoseconds(500)), network);
  for (std::int32_t source = 1; source < 16; ++source)
    run.log.send(*run.backend, source, 0, bytes(400'000));
  run.run();
  Time last;
  for (const Time at : run.log.delivered_at) last = std::max(last, at);
  return microseconds_between(Time{}, last);
}

TEST_CASE("an incast that overflows the buffer waits for the minimum RTO") {
  // 15 * 0.4 MB at 100 Gb/s net of headers (1460 of 1502 B) are 494 us. With a buffer for all of
  // them nothing is lost.
  const double ample = incast_microseconds(milliseconds(10), microseconds(10), bytes(8'000'000));
  CHECK(ample > 493);
  CHECK(ample < 500);
  // The same on ns-3's own devices, queues and IP stack (tests/reference/plain_ns3.cc) takes the
  // minimum RTO and 113.7 us more: the timeout, then what is left of the flows that lost the end of
  // their windows.
  for (const std::int64_t rto_ms : {1, 10, 200, 1'000}) {
    const double took = incast_microseconds(milliseconds(rto_ms), microseconds(10), bytes(200'000));
    const double on_ns3 = static_cast<double>(rto_ms) * 1'000 + 113.7;
    INFO("minimum RTO " << rto_ms << " ms: " << took << " us");
    CHECK(took > on_ns3 * 0.99);
    CHECK(took < on_ns3 * 1.01);
  }
}

TEST_CASE("the clock's granularity is part of the timeout") {
  // RTO = smoothed round trip + max(granularity, 4 * variation): with 1 ms of granularity a minimum
  // of 200 us cannot act. On ns-3's own devices: 1,124 us.
  const double coarse = incast_microseconds(microseconds(200), milliseconds(1), bytes(200'000));
  CHECK(coarse > 1'124 * 0.99);
  CHECK(coarse < 1'124 * 1.01);
}

TEST_CASE("every byte arrives though links lose packets") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    NetworkSpec network;
    network.seed = seed;
    network.switches.loss = 0.01;
    network.transport.minimum_rto = microseconds(200);
    Run run(star(6, gigabits_per_second(100), nanoseconds(500)), network);
    for (std::int32_t source = 0; source < 6; ++source)
      for (std::int32_t target = 0; target < 6; ++target)
        if (source != target)
          for (const std::int64_t size : {0, 1, 8'960, 123'456, 1'000'000})
            run.log.send(*run.backend, source, target, bytes(size));
    run.run();
    for (std::size_t i = 0; i < run.log.deliveries.size(); ++i) {
      REQUIRE(run.log.deliveries[i] == 1);
      CHECK(run.log.injected_at[i] <= run.log.delivered_at[i]);
    }
    const auto packets = run.backend->statistics().packets;
    CHECK(packets->drops > 50);
    CHECK(packets->retransmissions >= packets->drops / 4);
  }
}

TEST_CASE("goodput over a link that loses packets is within twice what Mathis et al. say") {
  // M. Mathis et al., CCR 27(3), 1997: 1.22 MSS / (RTT sqrt(p)) with an acknowledgement for each
  // packet. MSS 1,460 B, four links of 5 us: 20.3 us, so 2.78 GB/s (22.2 Gb/s) at p = 0.1 % and 878
  // MB/s (7.0 Gb/s) at 1 %. NewReno with SACK; one link loses, and acknowledgements come over
  // others. A packet that is lost again waits for the timeout, as short as it can be: the formula
  // knows none.
  for (const double loss : {0.001, 0.01}) {
    NetworkSpec network;
    network.transport.congestion_control = "newreno";
    network.transport.mtu = bytes(1'500);
    network.transport.delayed_ack_count = 1;
    network.transport.minimum_rto = microseconds(50);
    const TopologySpec shape = star(2, gigabits_per_second(100), microseconds(5));
    const Topology topology(shape);
    network.switches.lossy_links = {
        {static_cast<LinkIndex>(topology.switch_to_npu_link(0, {1})), loss}};
    Run run(shape, network);
    run.log.send(*run.backend, 0, 1, bytes(40'000'000));
    run.run();
    const double goodput = 40e6 / (static_cast<double>(run.end_of(0).value) * 1e-12);
    const double mathis = 1.22 * 1'460 / (20.3e-6 * std::sqrt(loss));
    CAPTURE(loss, goodput, mathis);
    CHECK(goodput >= mathis / 2);
    CHECK(goodput <= mathis * 2);
  }
}

TEST_CASE("DCTCP keeps the queue short where marks tell of it") {
  NetworkSpec network;
  network.transport.congestion_control = "dctcp";
  network.switches.queue = QueueKind::red;
  Run run(star(5, gigabits_per_second(100), microseconds(1)), network);
  for (std::int32_t source = 1; source < 5; ++source)
    run.log.send(*run.backend, source, 0, bytes(20'000'000));
  run.run();
  const PacketStatistics packets = *run.backend->statistics().packets;
  CHECK(packets.drops == 0);
  CHECK(packets.marks > 0);
  // 80 MB at 99.137 Gb/s: 6.456 ms, within 5 %: marks do not cost the line its rate.
  Time last;
  for (const Time at : run.log.delivered_at) last = std::max(last, at);
  CHECK(microseconds_between(Time{}, last) < 6'456 * 1.05);
}

TEST_CASE("two simulations after each other in one process are the same") {
  const auto once = [] {
    return incast_microseconds(milliseconds(1), microseconds(10), bytes(200'000));
  };
  CHECK(once() == once());
}

TEST_CASE("a handshake costs a round trip where it is asked for") {
  // A SYN and its answer are 20 B of IP, 20 of TCP, 38 on the wire and options (window scale and
  // SACK permitted, padded: 8 B): 86 B, 6.88 ns on each of four links, with 500 ns of latency. The
  // acknowledgement that ends the handshake, 78 B, leaves before the data: 6.24 ns.
  const auto time = [](ConnectPolicy policy) {
    NetworkSpec network;
    network.transport.connect = policy;
    Run run(star(4, gigabits_per_second(100), nanoseconds(500)), network);
    run.log.send(*run.backend, 0, 1, bytes(1'000));
    run.run();
    return run.end_of(0);
  };
  const Duration more = time(ConnectPolicy::first_message) - time(ConnectPolicy::before_use);
  const Duration handshake = nanoseconds(2'000) + picoseconds(4 * 6'880 + 6'240);
  CHECK(more.value >= handshake.value - 2);  // ticks of ns-3
  CHECK(more.value <= handshake.value + 2);
}

// Delivery times of five messages one after the other, on paths of `latency` a link.
std::vector<Time> deliveries(ConnectPolicy policy, std::int64_t window_segments, Duration latency,
                             bool timestamps) {
  NetworkSpec network;
  network.transport.connect = policy;
  network.transport.timestamps = timestamps;
  network.transport.window = bytes(8'960 * window_segments);
  Run run(star(4, gigabits_per_second(100), latency), network);
  for (int i = 0; i < 5; ++i) run.log.send(*run.backend, 0, 1, bytes(700'000));
  run.run();
  return run.log.delivered_at;
}

TEST_CASE("a connection made before its use is the one that a handshake leaves") {
  // A handshake delays everything by what it takes, and changes nothing else: not the window of the
  // SYN (7 segments of 8,960 B fit in 65,535 B, whatever the initial window of 10 would allow), nor
  // which segments the receiver acknowledges at once.
  for (const std::int64_t window : {4, 7, 8, 9, 64})
    for (const Duration latency : {nanoseconds(500), microseconds(25)})
      for (const bool timestamps : {false, true}) {
        const auto before = deliveries(ConnectPolicy::before_use, window, latency, timestamps);
        const auto first = deliveries(ConnectPolicy::first_message, window, latency, timestamps);
        INFO(window << " segments, " << latency.value << " ps, time stamps " << timestamps);
        for (std::size_t i = 1; i < before.size(); ++i)
          CHECK(first[i] - before[i] == first[0] - before[0]);
      }
}

TEST_CASE("each message has a connection of its own where it is asked for") {
  NetworkSpec network;
  network.transport.connect = ConnectPolicy::per_message;
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)), network);
  for (int i = 0; i < 5; ++i)
    run.queue.schedule(microseconds(10 * i),
                       [&run] { run.log.send(*run.backend, 0, 1, bytes(5'000)); });
  run.run();
  for (const int deliveries : run.log.deliveries) CHECK(deliveries == 1);
  CHECK(run.backend->statistics().packets->connections == 5);
}

TEST_CASE("a flow over a dead link ends the run with the flow, its state and the remedy") {
  NetworkSpec network;
  network.transport.retries = 3;
  network.routing.faults = {{Time{}, LinkIndex{0}, {}, LinkCondition::down, {}}};
  network.routing.reroute_delay = milliseconds(1'000);
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)), network);
  run.queue.schedule(microseconds(1), [&run] { run.log.send(*run.backend, 0, 1, bytes(100'000)); });
  try {
    run.run();
    FAIL("the run ended as if nothing had happened");
  } catch (const NetworkError& error) {
    const std::string text = error.what();
    CHECK(text.find("0 -> 1") != std::string::npos);
    CHECK(text.find("in flight") != std::string::npos);
    CHECK(text.find("network.transport.retries") != std::string::npos);
  }
}

// 150 kB at 150 GB/s take 1 us, and the latency is 1 us. Two such messages to one NPU take turns at
// its port on the analytical model: 2 and 3 us; on the fluid one they share it, and both take 3.
TEST_CASE("a level of transport ideal is the fluid model's where it is asked for") {
  TopologySpec spec = star(4, gigabits_per_second(100), nanoseconds(500));
  spec.levels.insert(spec.levels.begin(),
                     LevelSpec{"node", LevelKind::switched, 4, gigabytes_per_second(150),
                               nanoseconds(500), Scope::local});
  for (const IdealModel model : {IdealModel::analytical, IdealModel::fluid}) {
    NetworkSpec network;
    network.transport.ideal = model;
    Run run(spec, network);
    run.log.send(*run.backend, 1, 0, bytes(150'000));
    run.log.send(*run.backend, 2, 0, bytes(150'000));
    run.log.send(*run.backend, 0, 4, bytes(1'000));  // over TCP
    run.run();
    const Duration first = std::min(run.end_of(0), run.end_of(1));
    CHECK(first == nanoseconds(model == IdealModel::fluid ? 3'000 : 2'000));
    CHECK(std::max(run.end_of(0), run.end_of(1)) == nanoseconds(3'000));
    CHECK(run.end_of(2) == nanoseconds(1'000) + picoseconds(2 * 86'240 + 1));
    const NetworkStatistics statistics = run.backend->statistics();
    CHECK(statistics.levels[0].bytes_by_label[0] == bytes(300'000));
    CHECK(statistics.levels[1].bytes_by_label[0] == bytes(1'000));
  }
}

TEST_CASE("a link that fails when all is delivered ends no run") {
  NetworkSpec network;
  network.routing.faults = {{Time{milliseconds(5)}, LinkIndex{0}, {}, LinkCondition::down, {}}};
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)), network);
  run.log.send(*run.backend, 0, 1, bytes(100'000));
  REQUIRE_NOTHROW(run.run());
  CHECK(run.log.deliveries[0] == 1);
  // But what is sent over it from then on has no way.
  run.log.send(*run.backend, 0, 1, bytes(100'000));
  CHECK_THROWS_AS(run.run(), NoRouteError);
}

TEST_CASE("queue pairs are connections, which messages take in turn") {
  NetworkSpec network;
  network.routing.policy = RoutingPolicy::qp_spread;
  network.routing.paths = 3;
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)), network);
  for (int i = 0; i < 7; ++i) run.log.send(*run.backend, 0, 1, bytes(5'000));
  run.run();
  CHECK(run.backend->statistics().packets->connections == 3);
}

TEST_CASE("a level of transport ideal is the analytical model's") {
  TopologySpec spec = star(4, gigabits_per_second(100), nanoseconds(500));
  spec.levels.insert(spec.levels.begin(),
                     LevelSpec{"node", LevelKind::switched, 2, gigabytes_per_second(150),
                               nanoseconds(500), Scope::local});
  Run run(spec);
  run.log.send(*run.backend, 0, 1, bytes(150'000));
  run.run();
  CHECK(run.end_of(0) == nanoseconds(2'000));  // 1 us of latency, 1 us of 150 kB at 150 GB/s
  CHECK(run.backend->statistics().packets->packets == 0);
}

}  // namespace
}  // namespace orrery
