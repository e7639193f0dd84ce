// Pauses that wait for each other, and pauses that a slow receiver spreads.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "network/network_error.h"
#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::NetworkUnderTest;

constexpr Bandwidth line = gigabits_per_second(100);  // 80 ps a byte

// NPUs 0 to 3 on the switches 4 to 7, which are a ring.
TopologySpec ring_of_switches() {
  test::GraphMaker maker(4, 0, 4);
  for (std::int32_t i = 0; i < 4; ++i)
    maker.join(i, 4 + i, line).join(4 + i, 4 + (i + 1) % 4, line);
  return maker.spec();
}

NetworkSpec without_control(const TopologySpec& topology,
                            const std::vector<std::vector<std::int32_t>>& routes) {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::roce;
  spec.transport.congestion_control = "none";
  spec.transport.roce.window.kind = PairWindow::Kind::none;
  spec.switches.buffer = bytes(1'000'000);
  const Topology built(topology);
  for (const std::vector<std::int32_t>& nodes : routes) {
    StaticRoute route{{nodes.front()}, {nodes.back()}, {}};
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
      for (LinkIndex link = 0; link < built.links().size(); ++link)
        if (built.links()[link].from == NodeId{nodes[i]} &&
            built.links()[link].to == NodeId{nodes[i + 1]})
          route.links.push_back(link);
    spec.routing.routes.push_back(route);
  }
  return spec;
}

const std::vector<std::vector<std::int32_t>> clockwise{
    {0, 4, 5, 6, 2}, {1, 5, 6, 7, 3}, {2, 6, 7, 4, 0}, {3, 7, 4, 5, 1}};
// Up to switch 4 and down again: none uses the link between 6 and 7.
const std::vector<std::vector<std::int32_t>> up_and_down{
    {0, 4, 5, 6, 2}, {1, 5, 4, 7, 3}, {2, 6, 5, 4, 0}, {3, 7, 4, 5, 1}};

// Every NPU sends to the one two switches on: each link of the ring carries two messages at 100
// Gb/s, and what is held back by it holds back the link before it.
struct Ring : NetworkUnderTest {
  explicit Ring(const NetworkSpec& spec) : NetworkUnderTest("packet", ring_of_switches(), spec) {
    for (std::int32_t from = 0; from < 4; ++from) send(from, (from + 2) % 4, 8'000'000);
  }
  std::uint64_t watchdogs() { return network->statistics().packets->watchdogs; }
};

TEST_CASE("a ring of switches with clockwise routes deadlocks, and the four links are named") {
  Ring ring(without_control(ring_of_switches(), clockwise));
  std::string text;
  try {
    ring.queue.run();
  } catch (const NetworkError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("PFC deadlock at "));
  // In order, from one of them on.
  const std::string links[] = {"switch 4 -> switch 5", "switch 5 -> switch 6",
                               "switch 6 -> switch 7", "switch 7 -> switch 4"};
  std::size_t first = 0;
  for (std::size_t i = 1; i < 4; ++i)
    if (text.find(links[i]) < text.find(links[first])) first = i;
  std::size_t place = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t found = text.find("\n  " + links[(first + i) % 4] + ": ", place);
    REQUIRE(found != std::string::npos);
    place = found + 1;
  }
  CHECK(text.find("waits for " + links[first], place) != std::string::npos);
}

TEST_CASE("with on_watchdog: drop the ring goes on, counts and loses, and every message arrives") {
  NetworkSpec spec = without_control(ring_of_switches(), clockwise);
  spec.switches.pfc.on_watchdog = WatchdogAction::drop;
  Ring ring(spec);
  ring.queue.run();
  for (const int delivered : ring.log.deliveries) CHECK(delivered == 1);
  CHECK(ring.watchdogs() >= 1);
}

TEST_CASE("routes up and down a tree do not deadlock") {
  Ring ring(without_control(ring_of_switches(), up_and_down));
  ring.queue.run();
  for (const int delivered : ring.log.deliveries) CHECK(delivered == 1);
  CHECK(ring.watchdogs() == 0);
  CHECK(ring.network->statistics().packets->drops == 0);
  // Two messages on a link, and the acknowledgements of the two that go the other way, 86 B each: 2
  // x (8 MB + (82 + 86) x 1,954 + 16) B x 80 ps = 1,332.5 us, and the path.
  Time last;
  for (const Time at : ring.log.delivered_at) last = std::max(last, at);
  CHECK(static_cast<double>(last.since_start.value) * 1e-6 == Approx(1'332.5).epsilon(0.005));
}

// NPUs 0 and 1 on switch 4, 2 and 3 on switch 5; the link to 2 has `slow`, and that between the
// switches carries what both hosts send.
TopologySpec two_switches(Bandwidth slow) {
  test::GraphMaker maker(4, 0, 2);
  maker.join(0, 4, line).join(1, 4, line).join(4, 5, line * 2).join(5, 2, slow).join(5, 3, line);
  return maker.spec();
}

// When the 2 MB of NPU 1 for NPU 3 are there, beside 40 MB of NPU 0 for NPU 2. Slow: its link, or
// its host.
double innocent_us(Bandwidth slow, bool pauses, bool host) {
  const TopologySpec shape = two_switches(host ? line : slow);
  NetworkSpec spec = without_control(shape, {});
  spec.switches.pfc.enabled = pauses;
  spec.switches.dynamic_threshold = 1;
  if (host) spec.switches.slow = {{.npu = 2, .rate = slow}};
  NetworkUnderTest net("packet", shape, spec);
  net.send(0, 2, 40'000'000);
  const std::size_t innocent = net.send(1, 3, 2'000'000);
  while (net.log.deliveries[innocent] == 0 && net.queue.run_one()) {
  }
  return static_cast<double>(net.delivered(innocent).value) * 1e-6;
}

TEST_CASE("a slow receiver slows an innocent flow down with pauses, and not without") {
  // Without the slow one's pauses the innocent has its links for itself: 2 MB x 4178/4096 x 80 ps =
  // 163.2 us, and three links. Packets for the slow one are lost, of half of the memory at most.
  // With pauses, the link between the switches stands still until the slow receiver takes packets;
  // it is first come, first served, and both hosts send alike: 10 Gb/s for each, 1,632 us. Less
  // what the memories take before the first pause, alpha x 1 MB at most at each switch and host:
  // 0.25 MB of 2, so at least 1,428 us.
  // The NIC of a slow host holds alpha x 262 kB more.
  const Bandwidth slow = gigabits_per_second(10);
  for (const bool host : {false, true}) {
    const double with = innocent_us(slow, true, host), without = innocent_us(slow, false, host);
    CHECK(without == Approx(163.2).epsilon(0.02));
    CHECK(with > (host ? 1'402 : 1'428));
    CHECK(with < 1'640);
  }
}

// What is paused for how long, as a share of the time until 10 MB for the slow NPU 2 are there.
struct SlowHost : NetworkUnderTest {
  explicit SlowHost(const NetworkSpec& spec)
      : NetworkUnderTest("packet", two_switches(line), spec), message(send(0, 2, 10'000'000)) {
    queue.run();
  }
  double paused(std::int32_t from, std::int32_t to) {
    const PacketStatistics packets = *network->statistics().packets;
    for (const PauseStatistics& row : packets.pauses) {
      const Link& link = topology.links()[row.link];
      if (link.from == NodeId{from} && link.to == NodeId{to})
        return static_cast<double>(row.time.value) / static_cast<double>(delivered(message).value);
    }
    return 0;
  }
  std::size_t message;
};

NetworkSpec with_slow_host() {
  NetworkSpec spec = without_control(two_switches(line), {});
  spec.switches.slow = {{.npu = 2, .rate = gigabits_per_second(10)}};
  return spec;
}

TEST_CASE("a slow host's NIC pauses its switch, and that the links before it") {
  // 10 MB are 2,442 packets of 82 B more: 10.2 MB, which the host takes in 8,160 us. A link of 100
  // Gb/s carries them in a tenth of this, that of 200 Gb/s in a twentieth, and is paused for the
  // rest; less where memory takes the first packets, 0.25 MB or 2.5 % of the bytes, and at the end,
  // when all has left: 2.5 % of the time for each switch.
  SlowHost net(with_slow_host());
  CHECK(static_cast<double>(net.delivered(net.message).value) * 1e-6 ==
        Approx(8'160).epsilon(0.001));
  CHECK(net.paused(5, 2) == Approx(0.9).margin(0.01));
  CHECK(net.paused(4, 5) == Approx(0.95).margin(0.03));
  CHECK(net.paused(0, 4) == Approx(0.9).margin(0.06));
  const PacketStatistics packets = *net.network->statistics().packets;
  CHECK(packets.drops == 0);
  CHECK(packets.links.size() == net.topology.links().size());
  // Three links for 2,442 packets and as many acknowledgements; and the frames of pauses.
  std::uint64_t frames = 0;
  for (const LinkQueueStatistics& link : packets.links) frames += link.packets;
  CHECK(packets.packet_hops == frames);
  // Switches mark, and NICs that receive do not.
  std::uint64_t marks = 0;
  for (const LinkQueueStatistics& link : packets.links) marks += link.marks;
  CHECK(packets.marks == marks);
  CHECK(frames > 6 * 2'442);
}

TEST_CASE("without pauses a slow host's NIC loses what it has no room for") {
  // 262,016 B hold 62 packets and one is taken; of the first 1,000 packets, which come within 334
  // us, the host takes 100.
  NetworkSpec spec = with_slow_host();
  spec.switches.pfc.enabled = false;
  NetworkUnderTest net("packet", two_switches(line), spec);
  net.send(0, 2, 4'096'000);
  while (net.queue.now() < Time{microseconds(337)}) net.queue.run_one();
  const PacketStatistics packets = *net.network->statistics().packets;
  REQUIRE(packets.receivers.size() == 1);
  CHECK(packets.receivers[0].npu == NodeId{2});
  CHECK(static_cast<double>(packets.receivers[0].drops) == Approx(1'000 - 100 - 62).margin(10));
  CHECK(packets.drops == packets.receivers[0].drops);
}

TEST_CASE("a run that stops with packets on the way names them, and their cycle") {
  Ring ring(without_control(ring_of_switches(), clockwise));
  while (ring.queue.now() < Time{milliseconds(5)}) ring.queue.run_one();
  const std::string text = ring.network->unfinished();
  CHECK(text.starts_with("deadlock of the network: "));
  CHECK(text.find("  switch 4 -> switch 5: ") != std::string::npos);
  CHECK(text.find("a cycle") != std::string::npos);
  CHECK(text.find("has 1 undelivered message") != std::string::npos);
  Ring free(without_control(ring_of_switches(), up_and_down));
  free.queue.run();
  CHECK(free.network->unfinished().empty());
}

TEST_CASE("a receiver that takes next to nothing is named as the root of a storm") {
  // At 8 Mb/s a packet takes 4.2 ms, and the offset of 3 kB until a link goes on again needs one;
  // with a watchdog of 3 ms that is too long. The root is NPU 2, not the switch that is paused.
  const Bandwidth slow{1'000'000};
  const bool host = GENERATE(false, true);
  NetworkSpec spec = without_control(two_switches(host ? line : slow), {});
  if (host) spec.switches.slow = {{.npu = 2, .rate = slow}};
  spec.switches.pfc.watchdog = milliseconds(3);
  NetworkUnderTest net("packet", two_switches(host ? line : slow), spec);
  net.send(0, 2, 40'000'000);
  net.send(1, 3, 2'000'000);
  std::string text;
  try {
    net.queue.run();
  } catch (const NetworkError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("PFC storm at "));
  CHECK(text.find("the root is npu 2") != std::string::npos);
  CHECK((text.find("  host of npu 2: ") != std::string::npos) == host);
}

}  // namespace
}  // namespace orrery
