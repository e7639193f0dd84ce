#include <catch2/catch.hpp>

#include "network/analytical/analytical_backend.h"
#include "network/fluid/fluid_backend.h"
#include "network/traced_backend.h"
#include "tests/network/message_log.h"

namespace orrery {
namespace {

struct Spans final : TraceSink {
  void on_span(const Span& span) override { spans.push_back(span); }
  std::vector<Span> spans;
};

// Two messages from one port of 1 GB/s, path of 20 ns: 100 ns + 20, then 50 ns more.
TEST_CASE("a traced backend is the backend, and emits a span for every message") {
  EventQueue queue;
  const Topology topology(
      {{{"", LevelKind::switched, 3, gigabytes_per_second(1), nanoseconds(10), Scope::scale_out}}});
  Spans spans;
  TracedBackend network(queue, make_analytical_backend(queue, topology), spans);
  test::MessageLog log(queue);
  log.send(network, 0, 1, bytes(100));
  log.send(network, 0, 2, bytes(50));
  queue.run();
  CHECK(log.injected_at[0] - Time{} == nanoseconds(100));
  CHECK(log.delivered_at[0] - Time{} == nanoseconds(120));
  CHECK(log.delivered_at[1] - Time{} == nanoseconds(170));
  REQUIRE(spans.spans.size() == 2);
  CHECK(spans.spans[1].rank == 0);
  CHECK(spans.spans[1].operation == 2);
  CHECK(spans.spans[1].begin == Time{});
  CHECK(spans.spans[1].end - Time{} == nanoseconds(170));
  CHECK(spans.spans[1].size == bytes(50));
  CHECK(network.statistics().messages == 2);
}

// Of what comes to a connection at one time the first stage begins, and takes 100 ns and the path's
// 20 ns.
TEST_CASE("messages of a traced backend have the turns that they have without a trace") {
  EventQueue queue;
  const Topology topology(
      {{{"", LevelKind::switched, 2, gigabytes_per_second(1), nanoseconds(10), Scope::scale_out}}});
  Spans spans;
  TracedBackend network(queue, make_fluid_backend(queue, topology, {}), spans);
  test::MessageLog log(queue);
  for (const std::uint32_t stage : {1, 0})
    network.send({.source = {0},
                  .target = {1},
                  .size = bytes(100),
                  .token = {.owner = static_cast<std::uint32_t>(log.prepare()), .stage = stage},
                  .connection = 0},
                 log);
  queue.run();
  CHECK(log.delivered_at[0] - Time{} == nanoseconds(220));
  CHECK(log.delivered_at[1] - Time{} == nanoseconds(120));
}

}  // namespace
}  // namespace orrery
