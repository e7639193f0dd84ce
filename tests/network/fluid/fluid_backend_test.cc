// The fluid backend against time lines by hand. Links of 1 GB/s carry a byte in 1 ns; a path over a
// switch is two links of 100 ns.
#include "network/fluid/fluid_backend.h"

#include <catch2/catch.hpp>

#include "network/fluid/group_clocks.h"
#include "network/no_route.h"
#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

constexpr Bandwidth kRate = gigabytes_per_second(1);
constexpr Duration kLink = nanoseconds(100);

struct Fabric : test::NetworkUnderTest {
  explicit Fabric(std::vector<LevelSpec> levels, NetworkSpec spec = {})
      : NetworkUnderTest("fluid", {std::move(levels)}, std::move(spec)) {}
  Fabric(LevelKind kind, std::int32_t size, NetworkSpec spec = {})
      : Fabric({{"", kind, size, kRate, kLink, Scope::scale_out}}, std::move(spec)) {}

  std::size_t send_highest(std::int32_t source, std::int32_t target, std::int64_t size) {
    const std::size_t number = log.prepare();
    network->send({.source = {source},
                   .target = {target},
                   .size = bytes(size),
                   .token = {.owner = static_cast<std::uint32_t>(number)},
                   .traffic_class = TrafficClass::highest},
                  log);
    return number;
  }
  std::size_t send_on(std::int32_t connection, std::int32_t source, std::int32_t target,
                      std::int64_t size, std::uint32_t order = 0) {
    const std::size_t number = log.prepare();
    network->send({.source = {source},
                   .target = {target},
                   .size = bytes(size),
                   .token = {.owner = static_cast<std::uint32_t>(number)},
                   .connection = connection,
                   .order = order},
                  log);
    return number;
  }
};

NetworkSpec with(const FluidSpec& fluid) {
  NetworkSpec spec;
  spec.fluid = fluid;
  return spec;
}

// Half the port each: b has its 500 B out at 1,000. a has 500 B left then, alone: 1,500.
TEST_CASE("messages from one port share it from the start") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(0, 1, 1'000), b = fabric.send(0, 2, 500);
  fabric.queue.run();
  CHECK(fabric.injected(b) == nanoseconds(1'000));
  CHECK(fabric.delivered(b) == nanoseconds(1'200));
  CHECK(fabric.injected(a) == nanoseconds(1'500));
  CHECK(fabric.delivered(a) == nanoseconds(1'700));
}

// 0 -> 3 takes the links up from 0, 1 and 2; 1 -> 5 those from 1 to 4: two in common, half each.
// The analytical backend lets both pass at full speed.
TEST_CASE("messages that meet in the middle of a ring share the links they have in common") {
  Fabric fabric(LevelKind::ring, 9);
  const auto a = fabric.send(0, 3, 1'000), b = fabric.send(1, 5, 1'000);
  const auto c = fabric.send(6, 5, 1'000);  // downwards: alone
  fabric.queue.run();
  CHECK(fabric.delivered(a) == nanoseconds(2'300));
  CHECK(fabric.delivered(b) == nanoseconds(2'400));
  CHECK(fabric.delivered(c) == nanoseconds(1'100));
}

// Alone a message half way round is no faster than one that has one way: B/s, 4 links of 100 ns.
// Half of its bytes are on the 4 links of each way.
TEST_CASE("what goes half way round a ring goes both ways") {
  Fabric fabric(LevelKind::ring, 8);
  const auto a = fabric.send(1, 5, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(a) == nanoseconds(1'400));
  const NetworkStatistics statistics = fabric.network->statistics();
  for (std::int32_t npu = 0; npu < 8; ++npu) {
    const bool up = npu >= 1 && npu < 5;
    CHECK(statistics.links[fabric.topology.egress_link(0, {npu}, 0)] == bytes(up ? 500 : 0));
    CHECK(statistics.links[fabric.topology.egress_link(0, {npu}, 1)] ==
          bytes(npu == 1 || npu == 0 || npu >= 6 ? 500 : 0));
  }
}

// All to all on a ring of 8, S each: on every link 1 + 2 + 3 messages that go its way and half of
// the four that go half way round: 8 S. If those all went upwards, it would be 10 S there. On a
// torus of 4 x 8 the messages of a rank to the opposite ones of both dimensions have two ways on
// each. In dimension order links of the first carry 4 S for each of 8 targets along the second:
// (1 + 2/2) x 8 = 16 S, links of the second 8 x 4 = 32 S.
TEST_CASE("all to all keeps both directions of an even ring as busy") {
  Fabric ring(LevelKind::ring, 8);
  for (std::int32_t from = 0; from < 8; ++from)
    for (std::int32_t to = 0; to < 8; ++to)
      if (from != to) ring.send(from, to, 1'000);
  ring.queue.run();
  for (const TotalBytes& link : ring.network->statistics().links) CHECK(link == bytes(8'000));

  Fabric torus({{"", LevelKind::ring, 4, kRate, kLink, Scope::scale_out},
                {"", LevelKind::ring, 8, kRate, kLink, Scope::scale_out}},
               {});
  for (std::int32_t from = 0; from < 32; ++from)
    for (std::int32_t to = 0; to < 32; ++to)
      if (from != to) torus.send(from, to, 1'000);
  torus.queue.run();
  const NetworkStatistics statistics = torus.network->statistics();
  for (std::int32_t npu = 0; npu < 32; ++npu)
    for (std::int32_t port = 0; port < 2; ++port) {
      CHECK(statistics.links[torus.topology.egress_link(0, {npu}, port)] == bytes(16'000));
      CHECK(statistics.links[torus.topology.egress_link(1, {npu}, port)] == bytes(32'000));
    }
}

// a alone until 600: 400 B left, shared with b's 1,000: a ends at 600 + 800 = 1,400, b has carried
// 400 and needs 600 more alone: 2,000.
TEST_CASE("a message that comes later takes its share from then on") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(1, 0, 1'000);
  std::size_t b = 0;
  fabric.queue.schedule(nanoseconds(600), [&] { b = fabric.send(2, 0, 1'000); });
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(1'400));
  CHECK(fabric.injected(b) == nanoseconds(2'000));
}

// Three that come to a slow hop at 0, 1,000 and 2,000. Alone until 1,000 the first carries 1,000 of
// its 2,000 B, half as fast 500 until 2,000, a third as fast the last 500 in 1,500. Then the second
// has 1,000 B left and the third 1,500: 2,000 for the two, 500 for the last alone.
TEST_CASE("messages of one pair without a connection share their path") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(0, 1, 2'000);
  std::size_t b = 0, c = 0;
  fabric.queue.schedule(nanoseconds(1'000), [&] { b = fabric.send(0, 1, 2'000); });
  fabric.queue.schedule(nanoseconds(2'000), [&] { c = fabric.send(0, 1, 2'000); });
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(3'500));
  CHECK(fabric.injected(b) == nanoseconds(5'500));
  CHECK(fabric.injected(c) == nanoseconds(6'000));
}

// The same on a connection, as the steps of a ring: each takes 2,000 ns from the end of the last.
TEST_CASE("messages on one connection go one after the other") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send_on(7, 0, 1, 2'000);
  std::size_t b = 0, c = 0;
  fabric.queue.schedule(nanoseconds(1'000), [&] { b = fabric.send_on(7, 0, 1, 2'000); });
  fabric.queue.schedule(nanoseconds(2'000), [&] { c = fabric.send_on(7, 0, 1, 2'000); });
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(2'000));
  CHECK(fabric.injected(b) == nanoseconds(4'000));
  CHECK(fabric.injected(c) == nanoseconds(6'000));
  CHECK(fabric.delivered(c) == nanoseconds(6'200));
}

// c waits for a. So a, b and d, to another target, are on the port: a third each until 3,000. Then
// c has it alone.
TEST_CASE("connections of one pair share their path, and so do those to several targets") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send_on(1, 0, 1, 1'000), b = fabric.send_on(2, 0, 1, 1'000),
             c = fabric.send_on(1, 0, 1, 1'000), d = fabric.send_on(1, 0, 2, 1'000);
  fabric.queue.run();
  for (const auto m : {a, b, d}) CHECK(fabric.injected(m) == nanoseconds(3'000));
  CHECK(fabric.injected(c) == nanoseconds(4'000));
}

// Whoever calls first.
TEST_CASE("what comes to a connection at one time goes in the order that it says") {
  Fabric fabric(LevelKind::switched, 4);
  const auto third = fabric.send_on(1, 0, 1, 1'000, 3), first = fabric.send_on(1, 0, 1, 1'000, 1);
  const auto empty = fabric.send_on(1, 0, 1, 0, 2);
  fabric.queue.run();
  CHECK(fabric.injected(first) == nanoseconds(1'000));
  CHECK(fabric.delivered(empty) == nanoseconds(1'200));
  CHECK(fabric.injected(third) == nanoseconds(2'000));
}

// Three into one port: a third each, and 1 B at a third of 1 B/ns is 3 ns; 1,000 B 3,000 ns.
TEST_CASE("equal messages that share a port end together") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(1, 0, 1'000), b = fabric.send(2, 0, 1'000),
             c = fabric.send(3, 0, 1'000);
  fabric.queue.run();
  for (const auto m : {a, b, c}) CHECK(fabric.delivered(m) == nanoseconds(3'200));
}

TEST_CASE("a limit of each message leaves the rest of the port to others") {
  Fabric fabric(LevelKind::switched, 8, with({.flow_limit = Bandwidth{250'000'000}}));
  const auto a = fabric.send(0, 1, 1'000), b = fabric.send(0, 2, 1'000);
  for (int target = 3; target < 7; ++target) fabric.send(7, target, 1'000);
  const auto fifth = fabric.send(7, 0, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(4'000));  // a quarter of the port
  CHECK(fabric.injected(b) == nanoseconds(4'000));
  CHECK(fabric.injected(fifth) == nanoseconds(5'000));  // five on one port: a fifth
}

// Round trip 400 ns: 100 B of window carry 0.25 B/ns; 500 B would carry 1.25, more than the wire.
TEST_CASE("a window limits a message to window over round-trip time") {
  Fabric narrow(LevelKind::switched, 4, with({.window = bytes(100)}));
  const auto a = narrow.send(0, 1, 1'000);
  narrow.queue.run();
  CHECK(narrow.delivered(a) == nanoseconds(4'200));
  Fabric wide(LevelKind::switched, 4, with({.window = bytes(500)}));
  const auto b = wide.send(0, 1, 1'000);
  wide.queue.run();
  CHECK(wide.delivered(b) == nanoseconds(1'200));
}

// 50 % at 1,000 B and 100 % at 3,000 B: at 2,000 B it is 75 %, 2,666.67 ns, rounded up.
TEST_CASE("an efficiency curve limits a message by its size") {
  Fabric fabric(LevelKind::switched, 8,
                with({.efficiency = {{bytes(1'000), {1, 2}}, {bytes(3'000), {1, 1}}}}));
  const auto small = fabric.send(0, 1, 100), middle = fabric.send(2, 3, 2'000),
             large = fabric.send(4, 5, 6'000);
  fabric.queue.run();
  CHECK(fabric.injected(small) == nanoseconds(200));
  CHECK(fabric.injected(middle) == picoseconds(2'666'667));
  CHECK(fabric.injected(large) == nanoseconds(6'000));
}

TEST_CASE("an overhead passes before the first byte of every message") {
  Fabric fabric(LevelKind::switched, 4, with({.message_overhead = nanoseconds(30)}));
  const auto a = fabric.send(0, 1, 1'000), empty = fabric.send(0, 2, 0);
  fabric.queue.run();
  CHECK(fabric.delivered(a) == nanoseconds(1'230));
  CHECK(fabric.delivered(empty) == nanoseconds(230));
}

// All arrive at 200, and are taken in by distance as messages of some bytes are: the nearest source
// below the receiver first. Neither the ranks' numbers nor the order of the calls matter.
TEST_CASE("messages of no bytes take turns as all others do") {
  for (const std::int32_t receiver : {0, 1, 2}) {
    for (const std::int64_t size : {0, 1'000}) {
      Fabric fabric(LevelKind::switched, 4);
      const auto below = [&](std::int32_t distance) { return (receiver - distance + 4) % 4; };
      const auto b = fabric.send(below(2), receiver, size);
      const auto c = fabric.send(below(1), receiver, size),
                 a = fabric.send(below(3), receiver, size);
      fabric.queue.run();
      CHECK(fabric.log.in_order_of_delivery == std::vector{c, b, a});
      CHECK(fabric.delivered(a) == nanoseconds(200 + 3 * size));
    }
  }
}

// Strict: the highest alone for 1,000 ns, the other behind it. Weighted 3 to 1: the highest carries
// 0.75 B/ns and ends at 1,333.334; the other has carried 333.3335 B of 1,000 and ends at
// 2,000.0005.
TEST_CASE("highest messages go first, or have a larger weight, or are like all others") {
  const auto ends = [](const FluidSpec& spec) {
    Fabric fabric(LevelKind::switched, 4, with(spec));
    const auto plain = fabric.send(0, 1, 1'000), highest = fabric.send_highest(0, 2, 1'000);
    fabric.queue.run();
    return std::pair{fabric.injected(highest), fabric.injected(plain)};
  };
  CHECK(ends({.highest = ClassSharing::strict}) ==
        std::pair{nanoseconds(1'000), nanoseconds(2'000)});
  CHECK(ends({.highest = ClassSharing::fair}) == std::pair{nanoseconds(2'000), nanoseconds(2'000)});
  CHECK(ends({.highest = ClassSharing::weighted, .highest_weight = 3}) ==
        std::pair{picoseconds(1'333'334), picoseconds(2'000'001)});
}

// Alone, both would end at 1,000 and 1,001. With 0.1 % of 1,001 B to spare, they end together: not
// before the later one is complete, not after 1,001 ns + 1.001 ns.
TEST_CASE("with a tolerance, what ends at nearly the same time ends together, and late") {
  Fabric fabric(LevelKind::switched, 4, with({.completion_tolerance = {1, 1'000}}));
  const auto a = fabric.send(0, 1, 1'000), b = fabric.send(2, 3, 1'001);
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(1'001));
  CHECK(fabric.injected(b) >= nanoseconds(1'001));
  CHECK(fabric.injected(b) <= picoseconds(1'002'001));
  REQUIRE(fabric.network->notices().size() == 1);
  CHECK(fabric.network->notices()[0].find("0.1 % larger") != std::string::npos);
}

// The link 1 -> 2 of a ring of five, once full for two messages: they are its to answer for.
TEST_CASE("the statistics name the links that held messages back") {
  Fabric fabric(LevelKind::ring, 5);
  fabric.send(0, 2, 1'000);
  fabric.send(1, 2, 1'000);
  fabric.queue.run();
  const NetworkStatistics statistics = fabric.network->statistics();
  const std::size_t shared = fabric.topology.egress_link(0, {1}, 0);
  CHECK(statistics.links[shared] == bytes(2'000));
  CHECK(statistics.limited[0][shared] == bytes(2'000));
  CHECK(statistics.levels[0].bytes_by_label[0] == bytes(2'000));
}

NetworkSpec with_faults(std::vector<Fault> faults) {
  NetworkSpec spec;
  spec.routing.faults = std::move(faults);
  spec.routing.reroute_delay = nanoseconds(100);
  return spec;
}
// Of a ring of four: from NPU 0 up to 1, and down to 3.
constexpr LinkIndex kUp = 0, kDown = 1;
Fault fault(Duration at, LinkIndex link, LinkCondition condition) {
  Fault result;
  result.at = Time{} + at;
  result.link = link;
  result.condition = condition;
  return result;
}

// Two leaves of four hosts, joined by two spines: 2 GB/s for what crosses. Four messages of 1,000 B
// have 0.5 GB/s each, and 500 B left at 1,000, when four more come: 0.25 GB/s each. The first four
// end at 3,000, when 500 B of the others are left, which have 0.5 GB/s again: 4,000. After four
// paths, links that carry the same are known (both of a leaf), so the solver has messages with all
// their links and messages with one of each two.
TEST_CASE("messages share links that carry the same as they share one") {
  NetworkSpec spec;
  spec.routing.policy = RoutingPolicy::ecmp_expected;
  test::NetworkUnderTest fabric("fluid", test::two_tiers(2, 4, 2), spec);
  std::vector<std::size_t> first, second;
  for (std::int32_t host = 0; host < 4; ++host) first.push_back(fabric.send(host, 4 + host, 1'000));
  fabric.queue.schedule(nanoseconds(1'000), [&] {
    for (std::int32_t host = 0; host < 4; ++host)
      second.push_back(fabric.send(host, 4 + (host + 1) % 4, 1'000));
  });
  fabric.queue.run();
  for (const std::size_t message : first)
    CHECK(fabric.delivered(message) == nanoseconds(3'000) + kLink * 4);
  for (const std::size_t message : second)
    CHECK(fabric.delivered(message) == nanoseconds(4'000) + kLink * 4);
  // Half of 8,000 B each, and held back by them: the first of two alike links stands for both.
  const NetworkStatistics statistics = fabric.network->statistics();
  std::int64_t held_back = 0;
  for (std::size_t link = 16; link < statistics.links.size(); ++link) {
    const std::int64_t carried = statistics.links[link].narrow().value;
    CHECK((carried == 4'000 || carried == 0));
    held_back += statistics.limited[0].at(link).narrow().value;
  }
  CHECK(held_back == 8'000);
}

// 500 B have gone when the link fails. The rest takes the other way round from 600 on: 500 ns on
// three links.
TEST_CASE("a message whose link fails goes on with the rest on another path after the delay") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down)}));
  const auto m = fabric.send(0, 1, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(1'100));
  CHECK(fabric.delivered(m) == nanoseconds(1'400));
  CHECK(fabric.network->statistics().links[kUp] == bytes(500));
  CHECK(fabric.network->statistics().links[kDown] == bytes(500));
}

// Nothing leads out of NPU 0 from 500 on; the repair at 2,000 is known at 2,100.
TEST_CASE("a message without a path waits for a repair") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down),
                             fault(nanoseconds(500), kDown, LinkCondition::down),
                             fault(nanoseconds(2'000), kUp, LinkCondition::up)}));
  const auto m = fabric.send(0, 1, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(2'600));
  CHECK(fabric.delivered(m) == nanoseconds(2'700));
}

// a goes on as above and has left at 1,100; b follows, 1,000 ns on the same three links.
TEST_CASE("what waits on a connection goes the way that its head has found") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down)}));
  const auto a = fabric.send_on(1, 0, 1, 1'000), b = fabric.send_on(1, 0, 1, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(1'100));
  CHECK(fabric.injected(b) == nanoseconds(2'100));
  CHECK(fabric.delivered(b) == nanoseconds(2'400));
}

// Nothing leads out of NPU 0 from 500 to 2,100. a has 500 B left then, b and c follow, the empty
// one between them too. The other connection has half the link: 1,000 B of it and those of a and b
// take 2,000 ns. Then c has the link alone.
TEST_CASE("a connection whose head has no path waits for a repair, and is not stuck") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down),
                             fault(nanoseconds(500), kDown, LinkCondition::down),
                             fault(nanoseconds(2'000), kUp, LinkCondition::up)}));
  const auto a = fabric.send_on(1, 0, 1, 1'000), b = fabric.send_on(1, 0, 1, 500);
  std::size_t empty = 0, c = 0, late = 0;
  fabric.queue.schedule(nanoseconds(1'000), [&] {
    empty = fabric.send_on(1, 0, 1, 0);
    c = fabric.send_on(1, 0, 1, 1'000);
    late = fabric.send_on(2, 0, 1, 1'000);
  });
  fabric.queue.run();
  CHECK(fabric.injected(a) == nanoseconds(3'100));
  CHECK(fabric.injected(b) == nanoseconds(4'100));
  CHECK(fabric.delivered(empty) == nanoseconds(4'200));
  CHECK(fabric.injected(late) == nanoseconds(4'100));
  CHECK(fabric.injected(c) == nanoseconds(5'100));
}

// The empty one finds no path when it comes.
TEST_CASE("a message of no bytes that finds no path holds its connection until it does") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down),
                             fault(nanoseconds(500), kDown, LinkCondition::down),
                             fault(nanoseconds(2'000), kUp, LinkCondition::up)}));
  std::size_t empty = 0, after = 0;
  fabric.queue.schedule(nanoseconds(1'000), [&] {
    empty = fabric.send_on(1, 0, 1, 0);
    after = fabric.send_on(1, 0, 1, 1'000);
  });
  fabric.queue.run();
  CHECK(fabric.delivered(empty) == nanoseconds(2'200));
  CHECK(fabric.injected(after) == nanoseconds(3'100));
}

TEST_CASE("a message that will never have a path ends the run with its two ends") {
  Fabric fabric(LevelKind::ring, 4,
                with_faults({fault(nanoseconds(500), kUp, LinkCondition::down),
                             fault(nanoseconds(500), kDown, LinkCondition::down)}));
  fabric.send(0, 1, 1'000);
  CHECK_THROWS_AS(fabric.queue.run(), NoRouteError);
}

// 500 B at 1 B/ns, 500 B at 0.5.
TEST_CASE("a degraded link slows down what is on it") {
  Fault slower = fault(nanoseconds(500), kUp, LinkCondition::degraded);
  slower.bandwidth = Bandwidth{500'000'000};
  Fabric fabric(LevelKind::ring, 4, with_faults({slower}));
  const auto m = fabric.send(0, 1, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(1'500));
}

TEST_CASE("a time to carry whole bytes at a whole rate is rounded up exactly, others nearly so") {
  using fluid::carrying_time;
  CHECK(carrying_time(1, 3) == transfer_time(bytes(1), {3}));
  CHECK(carrying_time(1'000'000, 12'500'000'000) == picoseconds(80'000'000));
  CHECK(carrying_time(1e15, 1e15 - 1) == picoseconds(1'000'000'000'001));  // 1 s + 1.0...01 ps
  CHECK(carrying_time(0, 5) == Duration{});
  CHECK(carrying_time(1, 0) > milliseconds(1'000'000));
  // A third of 3 GB/s for 1,000 B, as doubles give it: 1,000 ns, not 1,000.001.
  const double third = 3e9 / 3 * (1 + 0x1p-52);
  CHECK(carrying_time(1'000 * (1 + 0x1p-52), third) == nanoseconds(1'000));
}

}  // namespace
}  // namespace orrery
