// TCP of ns-3 against closed forms. Numbers are derived in the comments; docs/models/ns3.md has the
// derivations.
#include <catch2/catch.hpp>

#include <memory>

#include "network/ns3/ns3_backend.h"
#include "tests/network/message_log.h"

namespace orrery {
namespace {

using test::MessageLog;

TopologySpec star(std::int32_t size, Bandwidth bandwidth, Duration latency) {
  return {{{"", LevelKind::switched, size, bandwidth, latency, Scope::scale_out}}};
}

struct Run {
  explicit Run(const TopologySpec& spec, const NetworkSpec& network = {})
      : topology(spec), backend(make_ns3_backend(queue, topology, network)), log(queue) {}
  void run() { queue.run(); }
  Duration end_of(std::size_t message) const { return log.delivered_at[message] - Time{}; }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> backend;
  MessageLog log;
};

TEST_CASE("a message of one packet takes its latency and two transmissions") {
  // 1,000 B and 40 of headers and 38 on the wire: 1,078 B, 86.24 ns at 100 Gb/s, on each of two
  // links (store and forward), and 500 ns of latency on each. TCP waits one tick of ns-3, 1 ps,
  // before it sends.
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)));
  run.log.send(*run.backend, 0, 1, bytes(1'000));
  run.run();
  CHECK(run.end_of(0) == nanoseconds(1'000) + picoseconds(2 * 86'240 + 1));
  CHECK(run.log.injected_at[0] - Time{} == picoseconds(86'240 + 1));
}

TEST_CASE("a long message fills the line, less the headers") {
  // Each segment of 8,960 B is 9,038 B on the wire: 100 Gb/s carry 99.137 Gb/s. With a window (1 MB)
  // far above bandwidth times round trip (25 kB) nothing waits for acknowledgements: 40 MB take
  // 40e6 * 9038/8960 / 12.5e9 s = 3,227.86 us, and 1 us of latency and a packet more.
  Run run(star(4, gigabits_per_second(100), nanoseconds(500)));
  run.log.send(*run.backend, 0, 1, bytes(40'000'000));
  run.run();
  const double us = static_cast<double>(run.end_of(0).value) * 1e-6;
  CHECK(us > 3'227.8);
  CHECK(us < 3'227.86 * 1.002 + 2);
}

}  // namespace
}  // namespace orrery
