// Endpoint costs on one switch level of two to four ranks, times by hand. A link carries 1 GB/s,
// 1 ns a byte, and takes 500 ns, so a path has L = 1 us.
#include <catch2/catch.hpp>

#include "network/backends.h"
#include "system/endpoint/endpoint_backend.h"
#include "tests/network/message_log.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

const Duration kSend = nanoseconds(300), kReceive = nanoseconds(200), kGap = nanoseconds(700);

LevelSpec slow_level(std::int32_t ranks, Scope scope = Scope::scale_out) {
  LevelSpec spec = switch_level(ranks, gigabytes_per_second(1), nanoseconds(500));
  spec.scope = scope;
  return spec;
}

Operation untagged_send(OperationId id, Rank to, Bytes size) {
  return {id, static_cast<std::int32_t>(id), SendCall{to, size, static_cast<std::int32_t>(id)}};
}
Operation receive_tagged(OperationId id, Rank from, Bytes size, std::int32_t tag) {
  return {id, static_cast<std::int32_t>(id), ReceiveCall{from, size, tag}};
}

SystemSpec with_endpoint(const EndpointSpec& endpoint) {
  SystemSpec spec = plain_system("ring");
  spec.endpoint = endpoint;
  return spec;
}

// Rank 0 sends `count` messages of `size` to rank 1 at once: when the last one is received.
Duration time_of_burst(const EndpointSpec& endpoint, int count, Bytes size) {
  std::vector<Operation> sends, receives;
  for (int i = 0; i < count; ++i) {
    sends.push_back(untagged_send(i, 1, size));
    receives.push_back(receive_tagged(i, 0, size, i));
  }
  World world({slow_level(2)}, with_endpoint(endpoint), {sends, receives});
  const Duration time = world.run();
  REQUIRE(world.runner->finished());
  return time;
}

// LogGP, one message of 100 B: o_s, then L and 100 bytes at 1 ns, then o_r.
TEST_CASE("a message takes send overhead, path, bytes and receive overhead") {
  const EndpointSpec endpoint{.send_overhead = kSend, .receive_overhead = kReceive};
  CHECK(time_of_burst(endpoint, 1, bytes(100)) == nanoseconds(300 + 1000 + 100 + 200));
  CHECK(time_of_burst(EndpointSpec{}, 1, bytes(100)) == nanoseconds(1000 + 100));
}

// k messages without bytes: o_s + (k-1) max(g, o_s) + L + o_r. With g = 700 the gap decides, with
// g = 100 the overhead of 300 does: 300 + 4*700 + 1000 + 200, and 300 + 4*300 + 1000 + 200.
TEST_CASE("a burst of short messages leaves one every max(gap, overhead)") {
  EndpointSpec endpoint{.send_overhead = kSend, .receive_overhead = kReceive, .gap = kGap};
  CHECK(time_of_burst(endpoint, 5, bytes(0)) == nanoseconds(4300));
  endpoint.gap = nanoseconds(100);
  CHECK(time_of_burst(endpoint, 5, bytes(0)) == nanoseconds(2700));
}

// Three ranks send to rank 0 at once. All arrive at 1000; it takes one in every 700: 1000, 1700,
// 2400, each with 200 of overhead behind it.
TEST_CASE("the gap also spaces what arrives at one rank") {
  const EndpointSpec endpoint{.receive_overhead = kReceive, .gap = kGap};
  std::vector<std::vector<Operation>> programs(4);
  for (Rank from = 1; from < 4; ++from) {
    programs[0].push_back(receive_tagged(from, from, bytes(0), 0));
    programs[from].push_back({0, 0, SendCall{0, bytes(0), 0}});
  }
  for (int i = 0; i < 3; ++i) programs[0][i].id = i;
  World world({slow_level(4)}, with_endpoint(endpoint), programs);
  CHECK(world.run() == nanoseconds(2400 + 200));
  const EndpointAccount account = *world.runner->endpoint_account(0);
  CHECK(account.received == 3);
  CHECK(account.overhead == nanoseconds(600));
  CHECK(account.waited == nanoseconds(700 + 1400));  // the second and the third for the port
}

// Copies at 500 MB/s, 2 ns a byte: 1000 B are copied for 2000, travel for 1000 + 1000, and are
// copied for 2000 at the other end. A second message is copied behind the first: 2000 later, at
// both ends, since the copies are slower than the wire.
TEST_CASE("copies take one message after the other, before the wire and after it") {
  const Bandwidth rate{500'000'000};
  const EndpointSpec both{.send_copy = rate, .receive_copy = rate};
  CHECK(time_of_burst(both, 1, bytes(1000)) == nanoseconds(2000 + 2000 + 2000));
  CHECK(time_of_burst(both, 2, bytes(1000)) == nanoseconds(8000));
  CHECK(time_of_burst({.send_copy = rate}, 2, bytes(1000)) == nanoseconds(2000 + 2000 + 2000));
  CHECK(time_of_burst({.receive_copy = rate}, 2, bytes(1000)) == nanoseconds(2000 + 2000 + 2000));
}

// Ranks 0 and 1 send to each other at 0: the processor is free again at 300, the other's message
// comes at 300 + 1000. If rank 1 sends 800 ns later, at 800 .. 1100, still free. But a second send
// of rank 0 at 1200 holds its processor from 1200 to 1500, and what came at 1300 waits 200 for it.
TEST_CASE("sends and arrivals share the rank's processor") {
  const EndpointSpec endpoint{.send_overhead = kSend, .receive_overhead = kReceive};
  World world({slow_level(2)}, with_endpoint(endpoint),
              {{receive_tagged(0, 1, bytes(0), 0), compute(1, nanoseconds(1200)),
                untagged_send(2, 1, bytes(0))},
               {untagged_send(0, 0, bytes(0)), receive_tagged(1, 0, bytes(0), 2)}});
  world.run();
  CHECK(world.recorder.find(SpanKind::collective, 0, 0).end.since_start == nanoseconds(1500 + 200));
  CHECK(world.runner->endpoint_account(0)->waited == nanoseconds(200));
}

// A step of the ring is o_s + L + T + o_r; all ranks do the same at the same time, and processor
// and port are free again by then. Six steps for an all-reduce among 4.
TEST_CASE("collectives pay per message, and only on levels of the scope") {
  const EndpointSpec endpoint{.send_overhead = kSend, .receive_overhead = kReceive};
  for (const Scope scope : {Scope::scale_out, Scope::local}) {
    World world({slow_level(4, scope)}, with_endpoint(endpoint),
                World::everywhere(4, {collective(0, Collective::all_reduce, bytes(400))}));
    const Duration step = kPath + nanoseconds(100);
    const Duration ends = scope == Scope::local ? Duration{} : kSend + kReceive;
    CHECK(world.run() == (step + ends) * 6);
  }
}

TEST_CASE("stays in endpoints are spans for those who want messages") {
  class Messages final : public TraceSink {
   public:
    bool wants_messages() const override { return true; }
    void on_span(const Span& span) override {
      if (span.kind == SpanKind::endpoint) spans.push_back(span);
    }
    std::vector<Span> spans;
  };
  EventQueue queue;
  const Topology topology({{slow_level(2)}});
  const auto network = find_backend("analytical")->make(queue, topology, {});
  Messages sink;
  EndpointBackend endpoints(queue, *network, topology,
                            with_endpoint({.send_overhead = kSend, .receive_overhead = kReceive}),
                            sink);
  MessageLog log(queue);
  log.send(endpoints, 0, 1, bytes(100));
  queue.run();
  REQUIRE(sink.spans.size() == 2);
  CHECK(sink.spans[0].rank == 0);
  CHECK(sink.spans[0].end.since_start == nanoseconds(300));
  CHECK(sink.spans[1].rank == 1);
  CHECK(sink.spans[1].begin.since_start == nanoseconds(1400));
  CHECK(sink.spans[1].end.since_start == nanoseconds(1600));
}

TEST_CASE("without endpoint costs there is no layer") {
  World world({slow_level(2)}, plain_system("ring"),
              World::everywhere(2, {collective(0, Collective::all_reduce, bytes(2))}));
  CHECK_FALSE(world.runner->endpoint_account(0));
}

}  // namespace
}  // namespace orrery
