// Swift: Kumar et al., "Swift: delay is simple and effective for congestion control in the
// datacenter", SIGCOMM 2020, algorithm 1 and section 3.5, for the delay of the fabric. A window
// below one packet is paced.
#include <algorithm>
#include <cmath>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Swift final : public CongestionControl {
 public:
  Swift(const SwiftSpec& spec, const PathFacts& facts)
      : CongestionControl(facts), spec_(spec), packet_(static_cast<double>(facts.packet.value)) {
    // What the line holds in the longest round trip that the target allows is enough.
    const Duration longest = facts.round_trip + spec.base_target + spec.flow_scaling;
    most_ = std::max(1.0, line() * seconds(longest) / packet_);
    window_ = std::min(most_, std::max(1.0, line() * seconds(facts.round_trip) / packet_));
    const double spread = 1 / std::sqrt(spec.flow_minimum) - 1 / std::sqrt(spec.flow_maximum);
    scaling_ = static_cast<double>(spec.flow_scaling.value) / spread;
  }

  void acknowledged(const Acknowledgement& ack) override {
    round_trip_ = ack.round_trip;
    const auto delay = static_cast<double>(ack.round_trip.value);
    const double target = this->target();
    const double packets = static_cast<double>(ack.newly.value) / packet_;
    if (delay < target) {
      window_ += spec_.additive_increase * packets / std::max(window_, 1.0);
    } else if (may_decrease(ack.now)) {
      const double cut = spec_.decrease * (delay - target) / delay;
      decrease(ack.now, std::min<double>(cut, spec_.most_decrease));
    }
    window_ = std::clamp(window_, spec_.least_window, most_);
  }

  void lost(Time now, bool) override {
    if (!may_decrease(now)) return;
    decrease(now, spec_.most_decrease);
    window_ = std::clamp(window_, spec_.least_window, most_);
  }

  double window() const override { return window_ * packet_; }

 private:
  static double seconds(Duration time) { return static_cast<double>(time.value) * 1e-12; }

  // In picoseconds: more for longer paths, and for small windows, which many flows have.
  double target() const {
    const double flows = scaling_ / std::sqrt(window_) - scaling_ / std::sqrt(spec_.flow_maximum);
    const auto range = static_cast<double>(spec_.flow_scaling.value);
    return static_cast<double>(spec_.base_target.value) +
           static_cast<double>(spec_.per_hop.value) * facts_.hops + std::clamp(flows, 0.0, range);
  }
  bool may_decrease(Time now) const { return !decreased_ || now - decreased_at_ >= round_trip_; }
  void decrease(Time now, double share) {
    window_ *= 1 - share;
    decreased_ = true;
    decreased_at_ = now;
  }

  SwiftSpec spec_;
  double packet_;
  double window_ = 1, most_ = 1;  // packets
  double scaling_ = 0;
  Duration round_trip_;
  bool decreased_ = false;
  Time decreased_at_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_swift_control(const RoceSpec& spec,
                                                      const PathFacts& facts) {
  return std::make_unique<Swift>(spec.swift, facts);
}

}  // namespace orrery
