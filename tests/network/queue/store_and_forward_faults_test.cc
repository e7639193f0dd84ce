// What the backends that store and forward make of faults under way. Two leaves of one NPU, two
// spines: nodes 0, 1 | 2, 3 | 4, 5. A hop of 1,000 B takes 1,000 ns on the link and 100 to get
// there. A static route sends 0 to 1 over spine 4, where the message would be at 2,200.
#include <catch2/catch.hpp>

#include "network/backends.h"
#include "network/no_route.h"
#include "tests/network/message_log.h"
#include "tests/network/routing/small_graphs.h"

namespace orrery {
namespace {

LinkIndex faulty_link_between(const Topology& topology, std::int32_t from, std::int32_t to) {
  for (std::size_t i = 0; i < topology.links().size(); ++i)
    if (topology.links()[i].from == NodeId{from} && topology.links()[i].to == NodeId{to})
      return static_cast<LinkIndex>(i);
  FAIL("no link");
  return 0;
}

struct FaultyFabric {
  explicit FaultyFabric(std::string_view name)
      : backend(name), topology(test::two_tiers(2, 1, 2)), log(queue) {
    routing.routes.push_back({{0}, {1}, {link(0, 2), link(2, 4), link(4, 3), link(3, 1)}});
  }
  LinkIndex link(std::int32_t from, std::int32_t to) const {
    return faulty_link_between(topology, from, to);
  }
  void fails(Duration when, std::optional<LinkIndex> link, std::optional<NodeId> node,
             LinkCondition condition = LinkCondition::down) {
    routing.faults.push_back({Time{} + when, link, node, condition, {}});
  }
  // 1,000 B from 0 to 1; returns when they were delivered.
  Duration deliver() {
    network = find_backend(backend)->make(queue, topology, {.routing = routing});
    const std::size_t message = log.send(*network, 0, 1, bytes(1'000));
    queue.run();
    CHECK(log.deliveries[message] == 1);
    return log.delivered_at[message] - Time{};
  }

  std::string_view backend;
  EventQueue queue;
  Topology topology;
  RoutingSpec routing;
  std::unique_ptr<NetworkBackend> network;
  test::MessageLog log;
};

TEST_CASE("without a fault a message over two tiers is stored three times") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  CHECK(fabric.deliver() == nanoseconds(4 * 1'100));
}

// At spine 4 it turns back: leaf 2 at 3,300, spine 5 at 4,400, leaf 3 at 5,500, NPU 1 at 6,600.
TEST_CASE("a message whose way is cut ahead goes round from where it finds out") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  fabric.fails(nanoseconds(1'500), fabric.link(4, 3), {});
  CHECK(fabric.deliver() == nanoseconds(6'600));
}

// Known at 4,000 only: it waits in spine 4 until then, and has four hops to go.
TEST_CASE("a message waits in a switch for the routers to learn") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  fabric.routing.reroute_delay = nanoseconds(2'500);
  fabric.fails(nanoseconds(1'500), fabric.link(4, 3), {});
  CHECK(fabric.deliver() == nanoseconds(4'000 + 4 * 1'100));
}

// The fault of 500 is known at 3,000: until then leaf 2, where the message is at 1,100, would send
// it over spine 4, and has no other way, however its own hash of the flow may fall. Then three
// hops.
TEST_CASE("a message at a cut takes no other way before the routers know of one") {
  const std::string_view backend = GENERATE("queue", "credit");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    FaultyFabric fabric(backend);
    fabric.routing.seed = seed;
    fabric.routing.reroute_delay = nanoseconds(2'500);
    fabric.fails(nanoseconds(500), fabric.link(2, 4), {});
    CHECK(fabric.deliver() == nanoseconds(3'000 + 3 * 1'100));
  }
}

// Repaired before the routers heard of it: it goes on at once.
TEST_CASE("a message at a cut goes on when the link is back") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  fabric.routing.reroute_delay = nanoseconds(2'500);
  fabric.fails(nanoseconds(500), fabric.link(2, 4), {});
  fabric.fails(nanoseconds(1'700), fabric.link(2, 4), {}, LinkCondition::up);
  CHECK(fabric.deliver() == nanoseconds(1'700 + 3 * 1'100));
}

// At 2,200 it is lost; from NPU 0 four hops over spine 5.
TEST_CASE("a message in a switch that failed is sent again by its source") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  fabric.fails(nanoseconds(1'500), {}, NodeId{4});
  CHECK(fabric.deliver() == nanoseconds(2'200 + 4 * 1'100));
  CHECK(fabric.network->statistics().links[fabric.link(0, 2)] == bytes(2'000));
}

// Both spines are down from 1,500 to 9,000. It is lost in spine 4, and begins anew at 9,000.
TEST_CASE("a message that was lost waits at its source for a repair") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  for (const std::int32_t spine : {4, 5}) {
    fabric.fails(nanoseconds(1'500), {}, NodeId{spine});
    fabric.fails(nanoseconds(9'000), {}, NodeId{spine}, LinkCondition::up);
  }
  CHECK(fabric.deliver() == nanoseconds(9'000 + 4 * 1'100));
}

TEST_CASE("a message that was lost and has no way any more ends the run") {
  FaultyFabric fabric(GENERATE("queue", "credit"));
  for (const std::int32_t spine : {4, 5}) fabric.fails(nanoseconds(1'500), {}, NodeId{spine});
  try {
    fabric.deliver();
    FAIL("no error");
  } catch (const NoRouteError& error) {
    CHECK_THAT(error.what(), Catch::StartsWith("at 2.2 us there is no path from npu 0 to npu 1"));
  }
}

}  // namespace
}  // namespace orrery
