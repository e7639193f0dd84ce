// TCP of ns-3 at its limits: every congestion control, buffers that are always too small, packets
// lost in ways that end in timeouts, and what is left when all is said.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>

#include "network/ns3/ns3_backend.h"
#include "network/transport_spec.h"
#include "tests/network/message_log.h"
#include "tests/network/pcap_file.h"

namespace orrery {
namespace {

using test::MessageLog;

// A star of 100 Gb/s and 500 ns a link.
struct LimitedRun {
  explicit LimitedRun(std::int32_t npus, const NetworkSpec& network)
      : topology({{{"", LevelKind::switched, npus, gigabits_per_second(100), nanoseconds(500),
                    Scope::scale_out}}}),
        backend(make_ns3_backend(queue, topology, network)),
        log(queue) {}
  bool all_delivered_once() const {
    return std::all_of(log.deliveries.begin(), log.deliveries.end(),
                       [](int deliveries) { return deliveries == 1; });
  }
  PacketStatistics packets() const { return *backend->statistics().packets; }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> backend;
  MessageLog log;
};

TEST_CASE("every congestion control brings an incast home through a small buffer") {
  // Four senders of 2 MB into 300 kB: 8 MB take 0.65 ms, and what is lost a few timeouts of 1 ms.
  for (const CongestionControlEntry& control : congestion_controls()) {
    NetworkSpec network;
    network.transport.congestion_control = control.name;
    network.transport.timestamps = true;  // ledbat and lp measure with them
    network.switches.buffer = bytes(300'000);
    if (control.name == "dctcp") network.switches.queue = QueueKind::red;
    LimitedRun run(5, network);
    for (std::int32_t source = 1; source < 5; ++source)
      run.log.send(*run.backend, source, 0, bytes(2'000'000));
    run.queue.run();
    INFO(control.name << ": " << run.packets().drops << " lost, " << run.packets().timeouts
                      << " timeouts");
    CHECK(run.all_delivered_once());
    const Time last = *std::max_element(run.log.delivered_at.begin(), run.log.delivered_at.end());
    CHECK(last - Time{} > microseconds(645));
    CHECK(last - Time{} < milliseconds(100));
  }
}

// One event opens 1,000 connections. It is asked before the first, the 257th and the 513th whether
// it is to end.
TEST_CASE("an event that opens many connections can be stopped") {
  NetworkSpec network;
  network.transport.connect = ConnectPolicy::per_message;
  LimitedRun run(2, network);
  run.queue.schedule(Duration{}, [&] {
    for (int i = 0; i < 1'000; ++i) run.log.send(*run.backend, 0, 1, bytes(1));
  });
  int asked = 0;
  CHECK_FALSE(run.queue.run([&] { return ++asked == 3; }));
  CHECK(run.packets().connections == 512);
}

TEST_CASE("a buffer of one packet is always full, and everything still arrives") {
  NetworkSpec network;
  network.switches.buffer = bytes(9'100);
  network.transport.minimum_rto = microseconds(200);
  LimitedRun run(8, network);
  for (std::int32_t source = 1; source < 8; ++source)
    run.log.send(*run.backend, source, 0, bytes(200'000));
  run.queue.run();
  CHECK(run.all_delivered_once());
  CHECK(run.packets().drops > 20);
  CHECK(run.packets().switches.at(0).most_used <= bytes(9'100));
}

// After a timeout TCP goes back to the first byte without an acknowledgement. Messages that are no
// whole number of segments make it come to the end of what it had sent in mid-segment.
TEST_CASE("after a timeout old and new bytes share no segment, and all arrive") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    NetworkSpec network;
    network.seed = seed;
    network.switches.loss = 0.1;
    network.transport.minimum_rto = microseconds(200);
    LimitedRun run(3, network);
    for (int i = 0; i < 100; ++i) run.log.send(*run.backend, i % 2, 2, bytes(5'000 + 700 * i));
    run.queue.run();
    CHECK(run.all_delivered_once());
    CHECK(run.packets().timeouts > 0);
  }
}

TEST_CASE("no connection outlives its last acknowledgement") {
  // No FIN, no TIME_WAIT (240 s in ns-3): all that is left in the queue is the wake-up for a timer
  // that has been cancelled, at most a minimum RTO of a second after the last delivery.
  for (const ConnectPolicy policy :
       {ConnectPolicy::before_use, ConnectPolicy::first_message, ConnectPolicy::per_message}) {
    NetworkSpec network;
    network.transport.connect = policy;
    network.transport.minimum_rto = milliseconds(1'000);
    LimitedRun run(4, network);
    for (int i = 0; i < 10; ++i) run.log.send(*run.backend, i % 3, 3, bytes(50'000));
    run.queue.run();
    CHECK(run.all_delivered_once());
    const Time last = *std::max_element(run.log.delivered_at.begin(), run.log.delivered_at.end());
    CHECK(run.queue.now() - last <= milliseconds(1'001));
  }
}

// What both ends of the link of NPU 0 sent, by a capture of it.
std::vector<test::PcapPacket> crossed_link_of_0(NetworkSpec network, int messages, Bytes size,
                                                Time& end) {
  const Topology two({{{"", LevelKind::switched, 2, gigabits_per_second(100), nanoseconds(500),
                        Scope::scale_out}}});
  CaptureSpec capture{"npu 0 - switch 2", {}, {}};
  for (LinkIndex i = 0; i < two.links().size(); ++i)
    if (two.links()[i].from == NodeId{0} || two.links()[i].to == NodeId{0})
      capture.links.push_back(i);
  network.captures = {capture};
  EventQueue queue;
  const auto backend = make_ns3_backend(queue, two, network);
  test::MessageLog log(queue);
  for (int i = 0; i < messages; ++i) log.send(*backend, 0, 1, size);
  queue.run();
  for (const Time at : log.delivered_at) end = std::max(end, at);
  return test::read_pcap(backend->statistics().packets->captures.at(0).pcap);
}

TEST_CASE("a window of one segment is never closed: receivers read before they acknowledge") {
  // So there is one segment in each round trip: two links of 723.04 ns (9,038 B) and 500 ns there,
  // of 6.24 ns (78 B) and 500 ns back: 3,458.56 ns. 100 kB are 11 of 8,960 B and one of 1,440 B,
  // which takes two links of 121.44 ns (1,518 B) and 1 us: 38,044.16 + 1,242.88 = 39,287.04 ns, and
  // picoseconds between write and send.
  NetworkSpec network;
  network.transport.receive_window = bytes(8'960);
  network.transport.delayed_ack_count = 1;
  Time end;
  const auto packets = crossed_link_of_0(network, 1, bytes(100'000), end);
  CHECK(end - Time{} >= picoseconds(39'287'040));
  CHECK(end - Time{} < picoseconds(39'287'040 + 30'000));
  for (const test::PcapPacket& packet : packets) CHECK(packet.big(34, 2) > 0);  // its window
}

TEST_CASE("no connection sends a FIN, so none can be lost") {
  NetworkSpec network;
  network.transport.connect = ConnectPolicy::per_message;
  Time end;
  const auto packets = crossed_link_of_0(network, 5, bytes(20'000), end);
  int synchronised = 0, finished = 0;
  for (const test::PcapPacket& packet : packets) {
    const unsigned flags = packet.kept.at(33);
    synchronised += (flags & 2) != 0;
    finished += (flags & 1) != 0;
  }
  CHECK(synchronised == 10);  // both ends of five connections
  CHECK(finished == 0);
}

TEST_CASE("a watched connection tells its window and round trip, in bounded space") {
  NetworkSpec network;
  network.transport.watched = {{0, 1}};
  LimitedRun run(3, network);
  run.log.send(*run.backend, 0, 1, bytes(100'000'000));
  run.log.send(*run.backend, 0, 2, bytes(1'000'000));
  run.queue.run();
  const PacketStatistics packets = run.packets();
  REQUIRE(packets.flows.size() == 1);  // that of 0 -> 2 was not asked for
  CHECK(packets.flows[0].source == NodeId{0});
  CHECK(packets.flows[0].target == NodeId{1});
  const std::vector<FlowSample>& samples = packets.flows[0].samples;
  // 100 MB are 11,161 segments and half as many acknowledgements, of which most change the round
  // trip: more than the 4,096 that are kept, which still reach to the end of the 8 ms.
  REQUIRE(samples.size() > 1'000);
  CHECK(samples.size() <= 4'096);
  CHECK(std::is_sorted(samples.begin(), samples.end(),
                       [](const auto& a, const auto& b) { return a.at < b.at; }));
  CHECK(samples.back().at - Time{} > milliseconds(7));
  // It starts with ten segments and one more for the first acknowledgement, and an idle path of 2
  // us and the packets' own times; later the window of 1 MB waits for the port, up to 80 us.
  CHECK(samples.front().congestion_window <= bytes(12 * 8'960));
  CHECK(samples.back().congestion_window >= bytes(1'000'000));
  CHECK(samples.front().smoothed_rtt < microseconds(5));
  CHECK(samples.back().smoothed_rtt > microseconds(40));
  CHECK(samples.back().smoothed_rtt < microseconds(90));
}

}  // namespace
}  // namespace orrery
