// Sends and receives of single ranks, times by hand. Links carry 1 GB/s, 1 ns a byte, and take
// 500 ns; a path over a switch has two of them.
#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

constexpr std::int64_t kPathNanoseconds = 1'000;  // ns

Operation send(OperationId id, Rank to, Bytes size, std::int32_t tag = 0) {
  return {id, static_cast<std::int32_t>(id), SendCall{to, size, tag}};
}
Operation receive(OperationId id, Rank from, Bytes size, std::int32_t tag = 0) {
  return {id, static_cast<std::int32_t>(id), ReceiveCall{from, size, tag}};
}

LevelSpec level(std::int32_t ranks, Scope scope) {
  LevelSpec spec = switch_level(ranks, gigabytes_per_second(1), nanoseconds(500));
  spec.scope = scope;
  return spec;
}

SystemSpec with_delays(Duration local, Duration scale_out) {
  SystemSpec spec = plain_system("ring");
  spec.local_injection_latency = local;
  spec.injection_latency = scale_out;
  return spec;
}

NetworkSpec fluid() {
  NetworkSpec spec;
  spec.backend = "fluid";
  return spec;
}

Duration end_of(const World& world, Rank rank, OperationId operation) {
  return world.recorder.find(SpanKind::collective, rank, operation).end.since_start;
}

// 100 B with 300 ns at either end: the sender has it on the wire from 300 to 400, it is there at
// 400 + 1,000, and the receiver has it 300 later.
TEST_CASE("a message costs its delay at the sender and at the receiver") {
  World world({level(2, Scope::scale_out)}, with_delays({}, nanoseconds(300)),
              {{send(0, 1, bytes(100))}, {receive(0, 0, bytes(100))}});
  world.run();
  REQUIRE(world.runner->finished());
  CHECK(end_of(world, 0, 0) == nanoseconds(300 + 100));
  CHECK(end_of(world, 1, 0) == nanoseconds(300 + 100 + kPathNanoseconds + 300));
}

// Ranks {0, 1} and {2, 3} share nodes. 20 ns inside a node, 300 between nodes, also to rank 3,
// which is on the other node and at another place in it: that way has two switches, 4 links.
TEST_CASE("the outermost level that a message crosses says what its ends cost") {
  const auto time_to = [](Rank target) {
    std::vector<std::vector<Operation>> programs(4);
    programs[0] = {send(0, target, bytes(100))};
    programs[target] = {receive(0, 0, bytes(100))};
    World world({level(2, Scope::local), level(2, Scope::scale_out)},
                with_delays(nanoseconds(20), nanoseconds(300)), programs);
    world.run();
    REQUIRE(world.runner->finished());
    return end_of(world, target, 0);
  };
  CHECK(time_to(1) == nanoseconds(20 + 100 + kPathNanoseconds + 20));
  CHECK(time_to(2) == nanoseconds(300 + 100 + kPathNanoseconds + 300));
  CHECK(time_to(3) == nanoseconds(300 + 100 + 2 * kPathNanoseconds + 300));
}

// On the fluid model two messages share the sender's port: 0.5 B/ns each. The second, of 1,000 B,
// is out at 2,000 ns and there at 3,000; the first, of 3,000 B, has 2,000 B left then, has the port
// alone, is out at 4,000 and there at 5,000. The receives take them in the order of the sends.
TEST_CASE("a message that overtakes another waits for it at the receiver") {
  World world({level(2, Scope::scale_out)}, with_delays({}, {}),
              {{send(0, 1, bytes(3'000)), send(1, 1, bytes(1'000))},
               {receive(0, 0, bytes(3'000)), receive(1, 0, bytes(1'000))}},
              fluid());
  world.run();
  REQUIRE(world.runner->finished());
  CHECK(end_of(world, 0, 0) == nanoseconds(4'000));
  CHECK(end_of(world, 0, 1) == nanoseconds(2'000));
  CHECK(end_of(world, 1, 0) == nanoseconds(4'000 + kPathNanoseconds));
  CHECK(end_of(world, 1, 1) == nanoseconds(4'000 + kPathNanoseconds));
}

// The same with tags of their own: nothing waits for the other, in whatever order receives are
// posted.
TEST_CASE("messages with other tags do not wait for each other") {
  World world({level(2, Scope::scale_out)}, with_delays({}, {}),
              {{send(0, 1, bytes(3'000), 7), send(1, 1, bytes(1'000), 8)},
               {receive(0, 0, bytes(1'000), 8), receive(1, 0, bytes(3'000), 7)}},
              fluid());
  world.run();
  REQUIRE(world.runner->finished());
  CHECK(end_of(world, 1, 0) == nanoseconds(2'000 + kPathNanoseconds));
  CHECK(end_of(world, 1, 1) == nanoseconds(4'000 + kPathNanoseconds));
}

// The message is there at 1,100; the receiver computes until 5,000 and asks then.
TEST_CASE("a message that came before its receive is taken when that is posted") {
  World world(
      {level(2, Scope::scale_out)}, with_delays({}, {}),
      {{send(0, 1, bytes(100))}, {compute(0, nanoseconds(5'000)), receive(1, 0, bytes(100))}});
  world.run();
  REQUIRE(world.runner->finished());
  CHECK(end_of(world, 1, 1) == nanoseconds(5'000));
  CHECK(world.recorder.find(SpanKind::collective, 1, 1).begin == Time{} + nanoseconds(5'000));
}

}  // namespace
}  // namespace orrery
