// The analytical backend against time lines by hand. Links of 1 GB/s carry a byte in 1 ns.
#include <catch2/catch.hpp>

#include "network/analytical/analytical_backend.h"
#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

constexpr Bandwidth kRate = gigabytes_per_second(1);
constexpr Duration kLink = nanoseconds(100);

struct Fabric : test::NetworkUnderTest {
  explicit Fabric(std::vector<LevelSpec> levels)
      : NetworkUnderTest("analytical", {std::move(levels)}) {}
  Fabric(LevelKind kind, std::int32_t size)
      : Fabric({{"", kind, size, kRate, kLink, Scope::scale_out}}) {}
};

// Two links of 100 ns and 1,000 B at 1 B/ns: cut-through, so the bytes are paid once.
TEST_CASE("a message alone takes its path's latency plus its size over the bottleneck") {
  Fabric fabric(LevelKind::switched, 4);
  const auto m = fabric.send(0, 3, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(1'000));
  CHECK(fabric.delivered(m) == nanoseconds(1'200));
}

// The port of rank 0 sends one byte at a time: the windows are 0..1000, 1000..1500, 1500..1600.
TEST_CASE("a rank that sends several messages at once shares its port between them, in order") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(0, 1, 1'000), b = fabric.send(0, 2, 500), c = fabric.send(0, 3, 100);
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(1'000));
  CHECK(fabric.injected(b) == nanoseconds(1'500));
  CHECK(fabric.injected(c) == nanoseconds(1'600));
  CHECK(fabric.delivered(a) == nanoseconds(1'200));
  CHECK(fabric.delivered(b) == nanoseconds(1'700));
  CHECK(fabric.delivered(c) == nanoseconds(1'800));
}

// All windows open at 200: taken in one after the other, the nearest source below the receiver
// first: that is rank 3, one step below rank 0.
TEST_CASE("a rank that receives several messages at once takes them in one at a time") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(1, 0, 1'000), b = fabric.send(2, 0, 500), c = fabric.send(3, 0, 100);
  fabric.queue.run();
  CHECK(fabric.delivered(c) == nanoseconds(300));
  CHECK(fabric.delivered(b) == nanoseconds(800));
  CHECK(fabric.delivered(a) == nanoseconds(1'800));
}

// The same turned by one and by two ranks, sent in another order: the ranks' numbers and the order
// of the calls do not matter.
TEST_CASE("messages that may enter at the same time go by the distance of their source") {
  for (const std::int32_t receiver : {1, 2}) {
    Fabric fabric(LevelKind::switched, 4);
    const auto below = [&](std::int32_t distance) { return (receiver - distance + 4) % 4; };
    const auto b = fabric.send(below(2), receiver, 500);
    const auto c = fabric.send(below(1), receiver, 100), a = fabric.send(below(3), receiver, 1'000);
    fabric.queue.run();
    CHECK(fabric.delivered(c) == nanoseconds(300));
    CHECK(fabric.delivered(b) == nanoseconds(800));
    CHECK(fabric.delivered(a) == nanoseconds(1'800));
  }
}

// Announced first, but its window opens last: rank 1 first sends 1,000 B elsewhere. So b (window
// 200..700) goes before a (window from 1,200).
TEST_CASE("messages are taken in as their windows open, not as they were sent") {
  Fabric fabric(LevelKind::switched, 4);
  fabric.send(1, 3, 1'000);
  const auto a = fabric.send(1, 0, 400), b = fabric.send(2, 0, 500);
  fabric.queue.run();
  CHECK(fabric.delivered(b) == nanoseconds(700));
  CHECK(fabric.delivered(a) == nanoseconds(1'600));
}

// a's window opens at 1,200. b and c are sent later, and theirs open earlier: at 900 for 500 ns,
// and at 1,000. So c waits for b until 1,400, a for c until 1,500: the head was displaced twice.
TEST_CASE("a later send whose window opens earlier displaces a head that has not begun") {
  Fabric fabric(LevelKind::switched, 5);
  fabric.send(1, 4, 1'000);
  const auto a = fabric.send(1, 0, 400);
  std::size_t b = 0, c = 0;
  fabric.queue.schedule(nanoseconds(700), [&] { b = fabric.send(2, 0, 500); });
  fabric.queue.schedule(nanoseconds(800), [&] { c = fabric.send(3, 0, 100); });
  fabric.queue.run();
  CHECK(fabric.delivered(b) == nanoseconds(1'400));
  CHECK(fabric.delivered(c) == nanoseconds(1'500));
  CHECK(fabric.delivered(a) == nanoseconds(1'900));
}

// A ring has a port for each direction; 0 -> 3 on a ring of 8 is three links up, 0 -> 6 two links
// down.
TEST_CASE("a ring goes the shorter way round and has a port for each direction") {
  Fabric fabric(LevelKind::ring, 8);
  const auto up = fabric.send(0, 3, 1'000), down = fabric.send(0, 6, 1'000);
  const auto half = fabric.send(1, 5, 1'000);  // equally long: upwards
  fabric.queue.run();
  CHECK(fabric.delivered(up) == nanoseconds(1'300));
  CHECK(fabric.delivered(down) == nanoseconds(1'200));
  CHECK(fabric.delivered(half) == nanoseconds(1'400));
  const auto links = fabric.network->statistics().links;
  CHECK(links[fabric.topology.egress_link(0, {0}, 0)] == bytes(1'000));
  CHECK(links[fabric.topology.egress_link(0, {1}, 0)] == bytes(2'000));  // up passes, half starts
  CHECK(links[fabric.topology.egress_link(0, {7}, 1)] == bytes(1'000));
  CHECK(links[fabric.topology.egress_link(0, {6}, 1)] == bytes(0));
}

TEST_CASE("a fully connected level has a link for every peer") {
  Fabric fabric(LevelKind::fully_connected, 4);
  const auto a = fabric.send(0, 1, 1'000), b = fabric.send(0, 3, 1'000),
             c = fabric.send(2, 3, 1'000);
  fabric.queue.run();
  for (const auto m : {a, b, c}) CHECK(fabric.delivered(m) == nanoseconds(1'100));
}

// From (0,0) to (1,1): inner switch 2 x 10 ns at 10 GB/s, outer switch 2 x 100 ns at 1 GB/s.
// Latencies add up, the bottleneck is 1 GB/s; the bytes count once on each level.
TEST_CASE("a message that differs in two levels crosses both, innermost first") {
  Fabric fabric(
      {{"", LevelKind::switched, 2, gigabytes_per_second(10), nanoseconds(10), Scope::local},
       {"", LevelKind::switched, 2, kRate, kLink, Scope::scale_out}});
  const auto m = fabric.send(0, 3, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(m) == nanoseconds(1'220));
  const NetworkStatistics statistics = fabric.network->statistics();
  CHECK(statistics.levels[0].bytes_by_label[0] == bytes(1'000));
  CHECK(statistics.levels[1].bytes_by_label[0] == bytes(1'000));
  // NPU 0 to its inner switch, on to NPU 1, from there to the outer switch of local rank 1, to
  // NPU 3.
  CHECK(statistics.links[fabric.topology.egress_link(0, {0}, 0)] == bytes(1'000));
  CHECK(statistics.links[fabric.topology.switch_to_npu_link(0, {1})] == bytes(1'000));
  CHECK(statistics.links[fabric.topology.egress_link(1, {1}, 0)] == bytes(1'000));
  CHECK(statistics.links[fabric.topology.switch_to_npu_link(1, {3})] == bytes(1'000));
}

TEST_CASE("settings of packet networks come back as unused") {
  EventQueue queue;
  const Topology topology({{{"", LevelKind::ring, 2, kRate, kLink, Scope::local}}});
  const auto network = make_analytical_backend(
      queue, topology,
      {.backend = "analytical", .given = {{"network.transport.window", SettingGroup::transport}}});
  REQUIRE(network->unused_settings().size() == 1);
  CHECK(network->unused_settings()[0] == "network.transport.window");
}

}  // namespace
}  // namespace orrery
