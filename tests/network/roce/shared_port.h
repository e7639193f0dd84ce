// Flows that start one after another, never end, and share the port of a switch.
#pragma once

#include <vector>

#include "tests/network/network_under_test.h"

namespace orrery::test {

class SharedPort final : private MessageListener {
 public:
  static constexpr Bytes message = bytes(100'000);

  // Flow i, from NPU i + 1 to NPU 0, starts at i * apart, on links of 100 Gb/s and 1 us.
  SharedPort(const NetworkSpec& spec, std::int32_t flows, Duration apart)
      : topology_({{{"", LevelKind::switched, flows + 1, gigabits_per_second(100), microseconds(1),
                     Scope::scale_out}}}),
        network_(find_backend("packet")->make(queue_, topology_, spec)),
        bytes_(static_cast<std::size_t>(flows)) {
    for (std::int32_t flow = 0; flow < flows; ++flow)
      queue_.schedule(apart * flow, [this, flow] {
        for (int i = 0; i < 8; ++i) send(flow);
      });
  }

  // What each flow delivered from `begin` to `end`.
  std::vector<Bytes> delivered(Time begin, Time end) {
    run_until(begin);
    bytes_.assign(bytes_.size(), Bytes{});
    run_until(end);
    return bytes_;
  }
  // Mean of the bytes of data that wait in the switch from `begin` to `end`: what all packets of so
  // many bytes waited there, over the time (Little).
  double mean_waiting(Time begin, Time end, Bytes packet) {
    run_until(begin);
    const TotalTime before = waited();
    run_until(end);
    return (waited() - before).as_double() * static_cast<double>(packet.value) /
           static_cast<double>((end - begin).value);
  }
  PacketStatistics statistics() const { return *network_->statistics().packets; }
  LinkIndex port() const { return static_cast<LinkIndex>(topology_.switch_to_npu_link(0, {0})); }

 private:
  TotalTime waited() const {
    const PacketStatistics packets = statistics();
    return packets.waits.empty() ? TotalTime{} : packets.waits[0].in_switches;
  }
  void send(std::int32_t flow) {
    network_->send({.source = {flow + 1},
                    .target = {0},
                    .size = message,
                    .token = {.owner = static_cast<std::uint32_t>(flow)}},
                   *this);
  }
  void delivered(const MessageToken& token, Bytes size) override {
    bytes_[token.owner] += size;
    send(static_cast<std::int32_t>(token.owner));
  }
  void injected(const MessageToken&, NodeId) override {}
  void run_until(Time when) {
    bool there = false;
    queue_.schedule(when - queue_.now(), [&there] { there = true; });
    while (!there) queue_.run_one();
  }

  EventQueue queue_;
  Topology topology_;
  std::unique_ptr<NetworkBackend> network_;
  std::vector<Bytes> bytes_;
};

// (sum x)^2 / (n sum x^2): 1 if all are equal (Jain).
inline double jain(const std::vector<Bytes>& shares) {
  double sum = 0, squares = 0;
  for (const Bytes share : shares) {
    const auto value = static_cast<double>(share.value);
    sum += value;
    squares += value * value;
  }
  return sum * sum / (static_cast<double>(shares.size()) * squares);
}

// Data with its headers from `begin` to `end`, of what the port can carry. Messages of 100 kB that
// end just before or after count as whole: 8 us of each flow.
inline double utilisation(const std::vector<Bytes>& shares, std::int64_t payload, Duration time) {
  double sum = 0;
  for (const Bytes share : shares) sum += static_cast<double>(share.value);
  return sum * static_cast<double>(payload + 82) / static_cast<double>(payload) * 80 /
         static_cast<double>(time.value);
}

inline NetworkSpec roce(std::string control = "none", std::int64_t payload = 4'096) {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::roce;
  spec.transport.congestion_control = std::move(control);
  spec.transport.roce.payload = bytes(payload);
  return spec;
}

inline Time at(std::int64_t ms) { return Time{} + milliseconds(ms); }

}  // namespace orrery::test
