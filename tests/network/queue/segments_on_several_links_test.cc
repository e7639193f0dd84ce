// When a message has left its source if its segments leave over different links. NPU 0 reaches
// NPU 1 over switch 2 or over switch 3. The link to switch 2 carries 100 MB/s, 10 ns a byte; all
// other links carry 1 GB/s, 1 ns a byte. A link takes 100 ns.
#include <catch2/catch.hpp>

#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

constexpr std::int64_t kSegment = 1'000;  // bytes

TopologySpec two_ways() {
  return test::GraphMaker(2, 0, 2)
      .join(0, 2, Bandwidth{100'000'000})
      .join(2, 1)
      .join(0, 3)
      .join(3, 1)
      .spec();
}

LinkIndex link_between(const Topology& topology, std::int32_t from, std::int32_t to) {
  for (std::size_t i = 0; i < topology.links().size(); ++i)
    if (topology.links()[i].from == NodeId{from} && topology.links()[i].to == NodeId{to})
      return static_cast<LinkIndex>(i);
  FAIL("no link");
  return 0;
}

// Segments are sprayed: the hash of a segment's number chooses its way. Returns a seed with which
// the segments go over these switches, in this order.
std::uint64_t seed_for(const std::vector<std::int32_t>& switches) {
  const Topology topology(two_ways());
  for (std::uint64_t seed = 1; seed < 1'000; ++seed) {
    Router router(topology, {.policy = RoutingPolicy::spray, .seed = seed});
    bool fits = true;
    for (std::size_t i = 0; i < switches.size(); ++i)
      fits = fits && test::path(router, 0, 1, i).front() == link_between(topology, 0, switches[i]);
    if (fits) return seed;
  }
  FAIL("no seed");
  return 0;
}

struct TwoWays : test::NetworkUnderTest {
  TwoWays(const std::vector<std::int32_t>& switches, std::vector<Fault> faults)
      : NetworkUnderTest("queue", two_ways(), spec_for(switches, std::move(faults))) {}

  static NetworkSpec spec_for(const std::vector<std::int32_t>& switches,
                              std::vector<Fault> faults) {
    NetworkSpec spec;
    spec.queue.segment = bytes(kSegment);
    spec.routing.policy = RoutingPolicy::spray;
    spec.routing.seed = seed_for(switches);
    spec.routing.faults = std::move(faults);
    spec.routing.reroute_delay = milliseconds(1);  // nobody looks for another way
    return spec;
  }
  // So many segments, sent at `when`; returns the message's number after the run.
  std::size_t run(std::int64_t segments, Duration when = {}) {
    std::size_t message = 0;
    queue.schedule(when, [&] { message = send(0, 1, segments * kSegment); });
    queue.run();
    CHECK(log.deliveries[message] == 1);
    CHECK(log.injections[message] == 1);
    return message;
  }
};

// 1,000 B take 10,000 ns on the link to switch 2 and 1,000 on the link to switch 3. The message has
// left when the slower one has. At switch 2 the segment is at 10,100, and at NPU 1 1,100 later.
TEST_CASE("a message has left when the last of its segments has, whatever their order") {
  for (const auto& switches : {std::vector{2, 3}, std::vector{3, 2}, std::vector{3, 2, 3}}) {
    TwoWays fabric(switches, {});
    const auto message = fabric.run(std::ssize(switches));
    CHECK(fabric.injected(message) == nanoseconds(10'000));
    CHECK(fabric.delivered(message) == nanoseconds(11'200));
  }
}

std::vector<Fault> down_until(Duration repair) {
  const Topology topology(two_ways());
  const LinkIndex link = link_between(topology, 0, 3);
  return {{Time{}, link, {}, LinkCondition::down, {}},
          {Time{} + repair, link, {}, LinkCondition::up, {}}};
}

// The link to switch 3 is down from 0 to 500. Sent at 100, one segment waits for it and leaves at
// 500 + 1,000; the other leaves over switch 2 at 100 + 10,000.
TEST_CASE("a segment that waited and left early does not end the others' departure") {
  for (const auto& switches : {std::vector{2, 3}, std::vector{3, 2}}) {
    TwoWays fabric(switches, down_until(nanoseconds(500)));
    CHECK(fabric.injected(fabric.run(2, nanoseconds(100))) == nanoseconds(10'100));
  }
}

// Repaired at 20,000, two segments leave at 21,000 and 22,000, long after the one that went over
// switch 2.
TEST_CASE("a message has not left while a segment waits for a link") {
  TwoWays fabric({2, 3, 3}, down_until(nanoseconds(20'000)));
  CHECK(fabric.injected(fabric.run(3, nanoseconds(100))) == nanoseconds(22'000));
}

}  // namespace
}  // namespace orrery
