#include "network/transport/pfabric_control.h"

#include <algorithm>

namespace orrery {
namespace {

// After a timeout one packet, then slow start to half of what it was, then a packet a round trip.
class PfabricControl final : public CongestionControl {
 public:
  explicit PfabricControl(const PathFacts& facts)
      : CongestionControl(facts),
        packet_(static_cast<double>(facts.packet.value)),
        most_(std::max(packet_, line() * static_cast<double>(facts.round_trip.value) * 1e-12)),
        window_(most_),
        threshold_(most_) {}

  void acknowledged(const Acknowledgement& ack) override {
    const auto newly = static_cast<double>(ack.newly.value);
    window_ += window_ < threshold_ ? newly : packet_ * newly / window_;
    window_ = std::min(window_, most_);
  }
  void lost(Time, bool timeout) override {
    if (!timeout) return;
    threshold_ = std::max(window_ / 2, packet_);
    window_ = packet_;
  }
  double window() const override { return window_; }

 private:
  double packet_, most_, window_, threshold_;  // bytes
};

}  // namespace

std::unique_ptr<CongestionControl> make_pfabric_control(const RoceSpec&, const PathFacts& facts) {
  return std::make_unique<PfabricControl>(facts);
}

}  // namespace orrery
