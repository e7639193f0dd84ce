// The ns3 backend against a program that uses ns-3 alone (tests/reference/plain_ns3.cc): its own
// simulator, devices, queues and IP. Connections exist before the messages in both.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "network/ns3/ns3_backend.h"
#include "tests/network/message_log.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using test::MessageLog;

struct Incast {
  std::int32_t senders = 1;
  Bytes size = bytes(400'000);
  Duration latency = nanoseconds(500);
  Bytes buffer = bytes(1'000'000'000);
  TransportSpec transport{};
};

// Packets of 1,500 bytes, 1,502 on the wire of ns-3's point-to-point devices; ns-3's timers. The
// window is whole segments: of the rest plain ns-3 sends a short segment, as its application fills
// the send buffer, and the backend does not, as it writes whole segments.
TransportSpec plain_transport(std::int64_t window_segments, bool timestamps) {
  TransportSpec transport;
  transport.timestamps = timestamps;
  transport.congestion_control = "linux_reno";
  transport.mtu = bytes(1'500);
  transport.link_overhead = bytes(2);
  transport.window = bytes(maximum_segment(transport).value * window_segments);
  transport.minimum_rto = milliseconds(1'000);
  transport.clock_granularity = milliseconds(1);
  return transport;
}

// From the first write to the last byte of each message, in order of time, sorted.
std::vector<std::int64_t> by_backend(const Incast& incast) {
  EventQueue queue;
  NetworkSpec network;
  network.transport = incast.transport;
  network.switches.buffer = incast.buffer;
  const Topology topology({{{"", LevelKind::switched, incast.senders + 1, gigabits_per_second(100),
                             incast.latency, Scope::scale_out}}});
  const auto backend = make_ns3_backend(queue, topology, network);
  MessageLog log(queue);
  for (std::int32_t source = 1; source <= incast.senders; ++source)
    log.send(*backend, source, 0, incast.size);
  queue.run();
  std::vector<std::int64_t> times;
  for (const Time at : log.delivered_at) times.push_back((at - Time{}).value);
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<std::int64_t> by_plain_ns3(const Incast& incast) {
  const TransportSpec& transport = incast.transport;
  const auto microseconds_of = [](Duration time) { return static_cast<double>(time.value) * 1e-6; };
  const std::string command = fmt::format(
      "'{}/plain_ns3' --senders={} --bytes={} --segment={} --window={} --initial={} "
      "--delayed_acks={} --delayed_ack_us={} --rto_us={} --granularity_us={} --latency_us={} "
      "--buffer={} --timestamps={}",
      build_folder(), incast.senders, incast.size.value, maximum_segment(transport).value,
      transport.window.value, transport.initial_window, transport.delayed_ack_count,
      microseconds_of(transport.delayed_ack_timeout), microseconds_of(transport.minimum_rto),
      microseconds_of(transport.clock_granularity), microseconds_of(incast.latency),
      incast.buffer.value, transport.timestamps);
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  REQUIRE(output != nullptr);
  std::vector<std::int64_t> times;
  for (long long time = 0; std::fscanf(output.get(), "%lld", &time) == 1;) times.push_back(time);
  INFO(command);
  REQUIRE(times.size() == static_cast<std::size_t>(incast.senders));
  std::sort(times.begin(), times.end());
  return times;
}

// Nothing is lost and nothing waits for another message: both simulate the same packets.
TEST_CASE("one message over a new connection takes what it takes on plain ns-3", "[slow]") {
  for (const std::int64_t window : {8, 9, 16, 33, 100, 350})
    for (const Duration latency : {nanoseconds(500), microseconds(25)})
      for (const bool timestamps : {false, true}) {
        Incast incast;
        incast.latency = latency;
        incast.transport = plain_transport(window, timestamps);
        incast.transport.delayed_ack_timeout = microseconds(200);
        INFO(window << " segments, " << latency.value << " ps, time stamps " << timestamps);
        CHECK(by_backend(incast) == by_plain_ns3(incast));
      }
}

TEST_CASE("an incast that loses packets ends as on plain ns-3", "[slow]") {
  for (const std::int64_t rto_ms : {1, 10, 200})
    for (const std::int32_t senders : {3, 7, 15}) {
      Incast incast;
      incast.senders = senders;
      incast.buffer = bytes(200'000);
      incast.transport = plain_transport(350, false);
      incast.transport.minimum_rto = milliseconds(rto_ms);
      incast.transport.clock_granularity = microseconds(10);
      const auto ours = by_backend(incast).back(), plain = by_plain_ns3(incast).back();
      INFO(senders << " senders, minimum RTO " << rto_ms << " ms: " << ours << " ps, plain ns-3 "
                   << plain << " ps");
      CHECK(static_cast<double>(ours) > 0.99 * static_cast<double>(plain));
      CHECK(static_cast<double>(ours) < 1.01 * static_cast<double>(plain));
    }
}

}  // namespace
}  // namespace orrery
