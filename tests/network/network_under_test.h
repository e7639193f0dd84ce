// A backend on a network of its own, and what became of the messages that a test sends over it.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "network/backends.h"
#include "tests/network/message_log.h"

namespace orrery::test {

struct NetworkUnderTest {
  NetworkUnderTest(std::string_view backend, TopologySpec shape, NetworkSpec spec = {})
      : topology(std::move(shape)),
        network(find_backend(backend)->make(queue, topology, spec)),
        log(queue) {}

  std::size_t send(std::int32_t source, std::int32_t target, std::int64_t size) {
    return log.send(*network, source, target, bytes(size));
  }
  Duration delivered(std::size_t message) const { return log.delivered_at[message] - Time{}; }
  Duration injected(std::size_t message) const { return log.injected_at[message] - Time{}; }
  Duration acknowledged(std::size_t message) const { return log.acknowledged_at[message] - Time{}; }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> network;
  MessageLog log;
};

// One level with links of 1 GB/s, which carry a byte in 1 ns, in 100 ns.
struct OneLevel : NetworkUnderTest {
  OneLevel(std::string_view backend, LevelKind kind, std::int32_t size, NetworkSpec spec = {},
           Duration latency = nanoseconds(100))
      : NetworkUnderTest(backend,
                         {{{"", kind, size, gigabytes_per_second(1), latency, Scope::scale_out}}},
                         std::move(spec)) {}
};

}  // namespace orrery::test
