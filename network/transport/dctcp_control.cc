// DCTCP: Alizadeh et al., "Data center TCP (DCTCP)", SIGCOMM 2010; RFC 8257. Starts with a BDP of
// the path, as NICs start at line rate, and grows by a packet a round trip.
#include <algorithm>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Dctcp final : public CongestionControl {
 public:
  Dctcp(const DctcpSpec& spec, const PathFacts& facts)
      : CongestionControl(facts),
        spec_(spec),
        packet_(static_cast<double>(facts.packet.value)),
        window_(std::max(packet_, line() * static_cast<double>(facts.round_trip.value) * 1e-12)) {}

  void acknowledged(const Acknowledgement& ack) override {
    const auto newly = static_cast<double>(ack.newly.value);
    total_ += newly;
    if (ack.marked) marked_ += newly;
    window_ += spec_.additive_increase * packet_ * newly / window_;
    if (ack.acknowledged < window_end_) return;
    // A window is over: equations 1 and 2 of the paper.
    if (total_ > 0) alpha_ = (1 - spec_.g) * alpha_ + spec_.g * marked_ / total_;
    if (marked_ > 0) window_ *= 1 - alpha_ / 2;
    window_ = std::max(window_, packet_);
    total_ = marked_ = 0;
    window_end_ = ack.sent;
  }

  void lost(Time, bool timeout) override {
    window_ = timeout ? packet_ : std::max(window_ / 2, packet_);
  }

  double window() const override { return window_; }
  double congestion() const override { return alpha_; }

 private:
  DctcpSpec spec_;
  double packet_, window_;  // bytes
  double alpha_ = 1;        // RFC 8257, section 3.3: a new pair expects the worst
  double total_ = 0, marked_ = 0;
  Bytes window_end_;  // of the stream
};

}  // namespace

std::unique_ptr<CongestionControl> make_dctcp_control(const RoceSpec& spec,
                                                      const PathFacts& facts) {
  return std::make_unique<Dctcp>(spec.dctcp, facts);
}

}  // namespace orrery
