// Links that fail during a run: what the router says, when, and what the analytical backend makes
// of it.
#include <catch2/catch.hpp>

#include "network/no_route.h"
#include "network/routing/router.h"
#include "tests/network/network_under_test.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

using test::GraphMaker;
using test::path;
using test::two_tiers;

struct Changes final : RouteListener {
  explicit Changes(EventQueue& clock) : queue(clock) {}
  void links_changed(std::span<const LinkIndex> links) override {
    for (const LinkIndex link : links) changed.push_back(link);
    changed_at.push_back(queue.now() - Time{});
  }
  void routes_changed() override { routes_at.push_back(queue.now() - Time{}); }
  EventQueue& queue;
  std::vector<LinkIndex> changed;
  std::vector<Duration> changed_at, routes_at;
};

// Two leaves of one host, two spines: nodes 0, 1 | 2, 3 | 4, 5. The way 0 -> 1 goes over spine 4 or
// 5; link 4 is leaf 2 -> spine 4, by two_tiers' order.
TEST_CASE("routes avoid a failed link once the routers have learnt of it, until it is repaired") {
  const Topology topology(two_tiers(2, 1, 2));
  REQUIRE(topology.link_name(4) == "switch 2 -> switch 4");
  EventQueue queue;
  Router router(topology,
                {.reroute_delay = microseconds(3),
                 .faults = {{Time{microseconds(30)}, LinkIndex{4}, {}, LinkCondition::up, {}},
                            {Time{microseconds(10)}, LinkIndex{4}, {}, LinkCondition::down, {}}}});
  Changes changes(queue);
  router.schedule_changes(queue, changes);
  const auto over_spine_4 = [&] {
    int count = 0;
    for (std::uint64_t flow = 0; flow < 100; ++flow)
      count += topology.links()[path(router, 0, 1, flow)[1]].to == NodeId{4};
    return count;
  };
  std::vector<int> seen;
  std::vector<Bandwidth> rates;
  for (const std::int64_t at : {5, 11, 14, 31, 34})
    queue.schedule(microseconds(at), [&] {
      seen.push_back(over_spine_4());
      rates.push_back(router.bandwidth(4));
    });
  queue.run();
  REQUIRE(seen.size() == 5);
  CHECK(seen[0] > 20);
  CHECK(seen[1] == seen[0]);  // not learnt yet
  CHECK(seen[2] == 0);
  CHECK(seen[3] == 0);
  CHECK(seen[4] == seen[0]);  // as before
  CHECK(rates == std::vector{gigabytes_per_second(1), Bandwidth{}, Bandwidth{},
                             gigabytes_per_second(1), gigabytes_per_second(1)});
  CHECK(changes.changed == std::vector<LinkIndex>{4, 4});
  CHECK(changes.changed_at == std::vector{microseconds(10), microseconds(30)});
  CHECK(changes.routes_at == std::vector{microseconds(13), microseconds(33)});
  CHECK_FALSE(router.changes_to_come());
}

TEST_CASE("a node that fails takes its links with it") {
  const Topology topology(two_tiers(2, 1, 2));
  EventQueue queue;
  Router router(topology, {.faults = {{Time{}, {}, NodeId{4}, LinkCondition::down, {}}}});
  Changes changes(queue);
  router.schedule_changes(queue, changes);
  queue.run();
  CHECK(changes.changed.size() == 4);  // to and from both leaves
  for (std::uint64_t flow = 0; flow < 50; ++flow)
    CHECK(topology.links()[path(router, 0, 1, flow)[1]].to == NodeId{5});
}

// A ring of 6 with the link 0 -> 1 down: from 0 to 2 the other way round, four links.
TEST_CASE("on levels, a message takes the shortest way round a failed link") {
  const LevelSpec ring{"",          LevelKind::ring, 6, gigabytes_per_second(1), nanoseconds(10),
                       Scope::local};
  const Topology topology({{ring}});
  EventQueue queue;
  Router router(topology, {.faults = {{Time{}, LinkIndex{0}, {}, LinkCondition::down, {}}}});
  Changes changes(queue);
  router.schedule_changes(queue, changes);
  CHECK(path(router, 0, 2).size() == 2);
  queue.run();
  CHECK(path(router, 0, 2).size() == 4);
  CHECK(path(router, 1, 3).size() == 2);  // does not cross it
}

struct Fabric : test::NetworkUnderTest {
  explicit Fabric(TopologySpec shape, RoutingSpec routing = {})
      : NetworkUnderTest("analytical", std::move(shape), {.routing = std::move(routing)}) {}
};

// 0 - switch 2 - 1, links of 100 ns and 1 B/ns; down from 1 to 5 us. What is sent at 2 us waits
// until the repair is known at 7 us: out until 8 us, in 200 ns later.
TEST_CASE("a message without a way waits for a repair") {
  GraphMaker maker(2, 0, 1);
  maker.join(0, 2).join(1, 2);
  Fabric fabric(maker.spec(),
                {.reroute_delay = microseconds(2),
                 .faults = {{Time{microseconds(1)}, LinkIndex{0}, {}, LinkCondition::down, {}},
                            {Time{microseconds(5)}, LinkIndex{0}, {}, LinkCondition::up, {}}}});
  std::size_t m = 0;
  fabric.queue.schedule(microseconds(2), [&] { m = fabric.send(0, 1, 1'000); });
  fabric.queue.run();
  CHECK(fabric.injected(m) == microseconds(8));
  CHECK(fabric.delivered(m) == nanoseconds(8'200));
}

TEST_CASE("a message that will never have a way ends the run with who, when and what to do") {
  GraphMaker maker(2, 0, 1);
  maker.join(0, 2).join(1, 2);
  Fabric fabric(maker.spec(),
                {.faults = {{Time{microseconds(1)}, {}, NodeId{1}, LinkCondition::down, {}}}});
  fabric.queue.schedule(microseconds(2), [&] { fabric.send(0, 1, 1'000); });
  try {
    fabric.queue.run();
    FAIL("no error");
  } catch (const NoRouteError& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("at 2 us there is no path from npu 0 to npu 1"));
    CHECK_THAT(error.what(), Catch::Contains("network.faults") &&
                                 Catch::Contains("state: degraded, bandwidth: "));
  }
}

// Half the rate, from 1 us on: 1,000 B take 2 us.
TEST_CASE("a degraded link carries what is sent from then on more slowly") {
  GraphMaker maker(2, 0, 1);
  maker.join(0, 2).join(1, 2);
  Fabric fabric(maker.spec(), {.faults = {{Time{microseconds(1)},
                                           LinkIndex{2},
                                           {},
                                           LinkCondition::degraded,
                                           Bandwidth{500'000'000}}}});
  const auto before = fabric.send(1, 0, 1'000);
  std::size_t after = 0;
  fabric.queue.schedule(microseconds(10), [&] { after = fabric.send(1, 0, 1'000); });
  fabric.queue.run();
  CHECK(fabric.delivered(before) == nanoseconds(1'200));
  CHECK(fabric.delivered(after) == nanoseconds(12'200));
}

}  // namespace
}  // namespace orrery
