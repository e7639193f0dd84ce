#include "network/transport_spec.h"

#include <algorithm>

#include "network/switch_spec.h"

namespace orrery {

std::string_view name_of(TransportKind kind) {
  constexpr std::string_view names[] = {
#define TRANSPORT(name, sentence) #name,
#define TRANSPORT_OF_NS3 TRANSPORT
#include "network/transports.def"
#undef TRANSPORT_OF_NS3
#undef TRANSPORT
      "ideal"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(IdealModel model) {
  return model == IdealModel::analytical ? "analytical" : "fluid";
}

std::string_view name_of(ConnectPolicy policy) {
  switch (policy) {
    case ConnectPolicy::before_use:
      return "before_use";
    case ConnectPolicy::first_message:
      return "first_message";
    case ConnectPolicy::per_message:
      return "per_message";
  }
  return "";
}

std::string_view name_of(BufferSharing sharing) {
  return sharing == BufferSharing::shared ? "shared" : "per_port";
}

std::string_view name_of(QueueKind kind) {
  return kind == QueueKind::drop_tail ? "drop_tail" : "red";
}

std::string_view name_of(PortScheduler scheduler) {
  return scheduler == PortScheduler::strict ? "strict" : "dwrr";
}

std::string_view name_of(ClassContent content) {
  return content == ClassContent::data ? "data" : "control";
}

std::string_view name_of(ClassOverflow overflow) {
  return overflow == ClassOverflow::drop ? "drop" : "trim";
}

std::string_view name_of(UetControl control) {
  switch (control) {
    case UetControl::nscc:
      return "nscc";
    case UetControl::rccc:
      return "rccc";
    case UetControl::both:
      return "both";
  }
  return "";
}

std::string_view name_of(WatchdogAction action) {
  return action == WatchdogAction::stop ? "stop" : "drop";
}

// Packets of 1,460 B in the scripts of the authors' simulations.
std::vector<Bytes> thresholds_of(const PiasSpec& spec) {
  if (spec.thresholds) return *spec.thresholds;
  std::vector<Bytes> published;
  for (const std::int64_t packets : {909, 1'329, 1'648, 1'960, 2'143, 2'337, 2'484})
    published.push_back(bytes(1'460) * packets);
  return published;
}

Bytes maximum_segment(const TransportSpec& spec) {
  constexpr std::int64_t ip_header = 20, tcp_header = 20, timestamps = 12;
  return spec.mtu - bytes(ip_header + tcp_header + (spec.timestamps ? timestamps : 0));
}

std::span<const CongestionControlEntry> congestion_controls() {
  static constexpr CongestionControlEntry entries[] = {
#define CONGESTION_CONTROL(name, type, sentence) {#name, sentence},
#include "network/congestion_controls.def"
#undef CONGESTION_CONTROL
  };
  return entries;
}

std::span<const CongestionControlEntry> roce_control_sentences() {
  static constexpr CongestionControlEntry entries[] = {
#define ROCE_CONTROL(name, window, notifications, telemetry, sentence) {#name, sentence},
#include "network/roce_controls.def"
#undef ROCE_CONTROL
  };
  return entries;
}

std::span<const CongestionControlEntry> roce_recovery_sentences() {
  static constexpr CongestionControlEntry entries[] = {
#define ROCE_RECOVERY(name, sentence) {#name, sentence},
#include "network/roce_recoveries.def"
#undef ROCE_RECOVERY
  };
  return entries;
}

namespace {

bool is_among(std::span<const CongestionControlEntry> entries, const TransportSpec& spec) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& entry) { return entry.name == spec.congestion_control; });
}

}  // namespace

std::string tcp_control_of(const TransportSpec& spec) {
  return is_among(congestion_controls(), spec) ? *spec.congestion_control : "cubic";
}

Duration rto_of(const TransportSpec& spec) {
  if (spec.roce.rto) return *spec.roce.rto;
  if (spec.kind == TransportKind::uet) return uet_rto;
  return spec.kind == TransportKind::pfabric ? pfabric_rto : milliseconds(4);
}

RoceSpec roce_of(const TransportSpec& spec) {
  RoceSpec roce = spec.roce;
  if (is_among(roce_control_sentences(), spec)) roce.congestion_control = *spec.congestion_control;
  return roce;
}

// The study's deck states the window and the acknowledgement delay; what it leaves open is here as
// ns-3 of its time had it: NewReno, point-to-point links (2 bytes of PPP a packet), a minimum
// retransmission timeout of a second with a tick of a millisecond, time stamps, two segments an
// acknowledgement. The packet size is not stated: 1,500.
TransportSpec hoti20_transport() {
  TransportSpec spec;
  spec.congestion_control = "newreno";
  spec.mtu = bytes(1'500);
  spec.link_overhead = bytes(2);
  spec.window = bytes(500'000);
  spec.delayed_ack_timeout = nanoseconds(500);
  spec.minimum_rto = {1'000'000'000'000};
  spec.clock_granularity = milliseconds(1);
  spec.connect_timeout = {3'000'000'000'000};
  spec.persist_timeout = {6'000'000'000'000};
  spec.retries = 6;
  spec.timestamps = true;
  return spec;
}

}  // namespace orrery
