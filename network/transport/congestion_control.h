// How fast a queue pair may send: controls as state machines, without clock, queue or packets. What
// happened goes in; rate, window and the time of the next timer come out. A new control is a file
// and a line of network/roce_controls.def. docs/models/roce.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/units/units.h"
#include "network/packet/hop_telemetry.h"
#include "network/roce_spec.h"

namespace orrery {

// What an acknowledgement says, all of it seen when the packet that it answers was on its way.
struct Acknowledgement {
  Time now;
  Bytes newly;               // acknowledged for the first time
  Bytes acknowledged;        // of the pair's stream, so far
  Bytes sent;                // of the pair's stream, so far
  Duration round_trip;       // of the packet that it answers
  bool marked = false;       // that packet had met congestion
  std::int32_t penalty = 0;  // of the receiver, which is slow: 0 to 127 (UET's pend)
  std::span<const HopTelemetry> hops = {};
};

// What a control knows of its pair.
struct PathFacts {
  Bandwidth line{};       // of the sender's link
  Duration round_trip{};  // of a full packet and its acknowledgement, if nothing waits
  Bytes packet{};         // payload of a full packet
  std::int32_t hops = 0;
};

class CongestionControl {
 public:
  virtual ~CongestionControl() = default;

  virtual void acknowledged(const Acknowledgement&) {}
  virtual void notified(Time) {}     // by a congestion notification packet (CNP)
  virtual void sent(Time, Bytes) {}  // payload
  virtual void lost(Time, bool /*timeout*/) {}
  virtual void trimmed(Time, Bytes) {}  // so much was cut to its header, and will be sent again
  virtual void timer(Time) {}           // next_timer() has come; now is that time

  // Bytes per second on the wire; at most PathFacts::line.
  virtual double rate() const { return static_cast<double>(facts_.line.value); }
  // Payload that may be sent and not acknowledged, in bytes. Below a packet: one packet, and the
  // next so much later that the mean is right.
  virtual double window() const { return no_window; }
  virtual Time next_timer() const { return Time::never(); }
  // For reports: what the control believes of the congestion, from 0 to 1; below 0: nothing.
  virtual double congestion() const { return -1; }

  static constexpr double no_window = 1e18;

 protected:
  explicit CongestionControl(const PathFacts& facts) : facts_(facts) {}
  double line() const { return static_cast<double>(facts_.line.value); }

  PathFacts facts_;
};

struct ControlEntry {
  std::string_view name;
  std::unique_ptr<CongestionControl> (*make)(const RoceSpec& spec, const PathFacts& facts);
  bool has_window;           // of its own, so the pair needs no other
  bool wants_notifications;  // CNPs
  bool wants_telemetry;
};
std::span<const ControlEntry> roce_controls();
const ControlEntry* find_roce_control(std::string_view name);  // nullptr if unknown

}  // namespace orrery
