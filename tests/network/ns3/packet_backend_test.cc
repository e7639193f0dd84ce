// The packet backend by its names and levels. What TCP does: tcp_goodput_test.cc.
#include "network/packet/packet_backend.h"

#include <catch2/catch.hpp>

#include "network/analytical/analytical_backend.h"
#include "network/ns3/ns3_backend.h"
#include "tests/network/message_log.h"

namespace orrery {
namespace {

using test::MessageLog;

TopologySpec two_levels() {
  return {
      {{"node", LevelKind::switched, 2, gigabits_per_second(800), nanoseconds(200), Scope::local},
       {"fabric", LevelKind::switched, 4, gigabits_per_second(100), nanoseconds(500),
        Scope::scale_out}}};
}

// One message from each NPU to the next but two, which crosses both levels.
std::vector<Time> times(decltype(&make_ns3_backend) make, const NetworkSpec& spec) {
  EventQueue queue;
  const Topology topology(two_levels());
  const auto backend = make(queue, topology, spec);
  MessageLog log(queue);
  for (std::int32_t npu = 0; npu < 8; ++npu) log.send(*backend, npu, (npu + 3) % 8, bytes(300'000));
  queue.run();
  return log.delivered_at;
}

NetworkSpec with(TransportKind kind) {
  NetworkSpec spec;
  spec.transport.kind = kind;
  return spec;
}

TEST_CASE("packet and ns3 are one engine") {
  CHECK(times(make_packet_backend, with(TransportKind::tcp)) == times(make_ns3_backend, {}));
}

// 300,000 B over 800 Gb/s and then, all of them, over 100 Gb/s: 3 us and 24 us, and two links of
// each latency; TCP has headers and waits for its window.
TEST_CASE("a level says its transport, and the rest follows the backend") {
  const Duration alone = microseconds(27) + nanoseconds(1'400);
  NetworkSpec ideal_fabric;
  ideal_fabric.levels = {{}, {{}, TransportKind::ideal}};
  for (const Time at : times(make_ns3_backend, ideal_fabric)) CHECK(at - Time{} <= alone);
  for (const Time at : times(make_ns3_backend, {})) CHECK(at - Time{} > alone);
}

TEST_CASE("with ideal levels only, the packet backend is the model that carries them") {
  CHECK(times(make_packet_backend, with(TransportKind::ideal)) ==
        times(make_analytical_backend, {}));
  // ... and no ns-3: two of them in one thread would fail a check.
  EventQueue queue;
  const Topology topology(two_levels());
  const auto one = make_packet_backend(queue, topology, with(TransportKind::ideal));
  const auto two = make_packet_backend(queue, topology, with(TransportKind::ideal));
  CHECK(one->statistics().packets->links.size() == topology.links().size());
}

}  // namespace
}  // namespace orrery
