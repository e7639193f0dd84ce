// The queue backend against time lines by hand. Links of 1 GB/s carry a byte in 1 ns, in 100 ns.
#include <catch2/catch.hpp>

#include "tests/network/network_under_test.h"

namespace orrery {
namespace {

struct Fabric : test::OneLevel {
  Fabric(LevelKind kind, std::int32_t size, NetworkSpec spec = {})
      : OneLevel("queue", kind, size, spec) {}
};

// 1,000 ns on the link to the switch, 100 to get there, and both again.
TEST_CASE("a message is stored at every node of its path") {
  Fabric fabric(LevelKind::switched, 4);
  const auto m = fabric.send(0, 3, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(1'000));
  CHECK(fabric.delivered(m) == nanoseconds(2'200));
}

// Both are at the switch at 1,100. The link to rank 0 carries a until 2,100 and b until 3,100.
TEST_CASE("what wants the same link goes one after the other") {
  Fabric fabric(LevelKind::switched, 4);
  const auto a = fabric.send(1, 0, 1'000), b = fabric.send(2, 0, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(a) == nanoseconds(2'200));
  CHECK(fabric.delivered(b) == nanoseconds(3'200));
}

// On a ring 0 -> 2 passes 1. It is there at 1,100, when the link on has been free for 100 ns; a
// message of 1,500 B from 1 itself would hold it until 1,500.
TEST_CASE("a message on its way queues behind those of the node it passes") {
  Fabric fabric(LevelKind::ring, 8);
  fabric.send(1, 2, 1'500);
  const auto m = fabric.send(0, 2, 1'000);
  fabric.queue.run();
  CHECK(fabric.delivered(m) == nanoseconds(1'500 + 1'000 + 100));
  const NetworkStatistics statistics = fabric.network->statistics();
  CHECK(statistics.busy[fabric.topology.egress_link(0, {1}, 0)] == nanoseconds(2'500));
}

// Four segments of 250 B: the last leaves the source at 1,000, is at the switch at 1,100, and has
// the next link at once: 250 + 100 more.
TEST_CASE("segments overlap on the links of a path") {
  NetworkSpec spec;
  spec.queue.segment = bytes(250);
  Fabric fabric(LevelKind::switched, 4, spec);
  const auto m = fabric.send(0, 3, 1'000);
  fabric.queue.run();
  CHECK(fabric.injected(m) == nanoseconds(1'000));
  CHECK(fabric.delivered(m) == nanoseconds(1'450));
  CHECK(fabric.log.deliveries[m] == 1);
  CHECK(fabric.network->statistics().levels[0].bytes_by_label[0] == bytes(1'000));
}

}  // namespace
}  // namespace orrery
