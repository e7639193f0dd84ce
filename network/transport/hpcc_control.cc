// HPCC: Li et al., "HPCC: high precision congestion control", SIGCOMM 2019, algorithm 1. The window
// follows the utilisation of the fullest link of the path, as the packets saw it.
#include <algorithm>
#include <vector>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Hpcc final : public CongestionControl {
 public:
  Hpcc(const HpccSpec& spec, const PathFacts& facts)
      : CongestionControl(facts),
        spec_(spec),
        base_(static_cast<double>(facts.round_trip.value) * 1e-12),
        most_(line() * base_),
        window_(most_),
        committed_(most_) {}

  void acknowledged(const Acknowledgement& ack) override {
    if (!is_same_path(ack.hops)) {  // nothing to compare with yet
      last_.assign(ack.hops.begin(), ack.hops.end());
      return;
    }
    measure(ack.hops);
    last_.assign(ack.hops.begin(), ack.hops.end());
    // One commit a round trip: what answers packets sent after the last one.
    const bool commits = ack.acknowledged > updated_at_;
    const double ratio = utilisation_ / spec_.utilisation;
    const auto increase = static_cast<double>(spec_.additive_increase.value);
    if (ratio >= 1 || stage_ >= spec_.additive_stages) {
      window_ = committed_ / ratio + increase;
      if (commits) stage_ = 0;
    } else {
      window_ = committed_ + increase;
      if (commits) ++stage_;
    }
    window_ = std::clamp(window_, 1.0, most_);
    if (!commits) return;
    committed_ = window_;
    updated_at_ = ack.sent;
  }

  double window() const override { return window_; }
  double rate() const override { return std::min(line(), window_ / base_); }
  double congestion() const override { return utilisation_; }

 private:
  bool is_same_path(std::span<const HopTelemetry> hops) const {
    return std::equal(hops.begin(), hops.end(), last_.begin(), last_.end(),
                      [](const auto& a, const auto& b) { return a.link == b.link; });
  }

  // MeasureInflight() of the paper: normalised bytes in flight of the fullest link, averaged over a
  // round trip.
  void measure(std::span<const HopTelemetry> hops) {
    double fullest = 0, interval = base_;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const double time = static_cast<double>((hops[i].at - last_[i].at).value) * 1e-12;
      if (time <= 0) continue;
      const auto bandwidth = static_cast<double>(hops[i].bandwidth.value);
      const auto waiting = static_cast<double>(std::min(hops[i].waiting, last_[i].waiting).value);
      const double sent = static_cast<double>((hops[i].sent - last_[i].sent).value) / time;
      const double inflight = waiting / (bandwidth * base_) + sent / bandwidth;
      if (inflight <= fullest) continue;
      fullest = inflight;
      interval = time;
    }
    const double weight = std::min(interval, base_) / base_;
    utilisation_ = (1 - weight) * utilisation_ + weight * fullest;
  }

  HpccSpec spec_;
  double base_;  // seconds
  double most_, window_, committed_;
  double utilisation_ = 0;
  std::int32_t stage_ = 0;
  Bytes updated_at_;  // of the stream
  std::vector<HopTelemetry> last_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_hpcc_control(const RoceSpec& spec, const PathFacts& facts) {
  return std::make_unique<Hpcc>(spec.hpcc, facts);
}

}  // namespace orrery
