// TIMELY: Mittal et al., "TIMELY: RTT-based congestion control for the datacenter", SIGCOMM 2015,
// algorithm 1.
#include <algorithm>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Timely final : public CongestionControl {
 public:
  Timely(const TimelySpec& spec, const PathFacts& facts)
      : CongestionControl(facts), spec_(spec), rate_(line()) {}

  void acknowledged(const Acknowledgement& ack) override {
    counted_ += ack.newly;
    if (counted_ < spec_.segment) return;
    counted_ = Bytes{};
    const auto round_trip = static_cast<double>(ack.round_trip.value);
    if (last_ > 0) update(round_trip);
    last_ = round_trip;
  }

  double rate() const override { return rate_; }
  double congestion() const override { return std::clamp(gradient_, 0.0, 1.0); }

 private:
  void update(double round_trip) {
    difference_ = (1 - spec_.ewma) * difference_ + spec_.ewma * (round_trip - last_);
    gradient_ = difference_ / static_cast<double>(spec_.minimum_round_trip.value);
    const auto increase = static_cast<double>(spec_.additive_increase.value);
    const auto low = static_cast<double>(spec_.low.value);
    const auto high = static_cast<double>(spec_.high.value);
    falling_ = gradient_ <= 0 && round_trip >= low && round_trip <= high ? falling_ + 1 : 0;
    if (round_trip < low)
      rate_ += increase;
    else if (round_trip > high)
      rate_ *= 1 - spec_.decrease * (1 - high / round_trip);
    else if (gradient_ <= 0)
      rate_ += (falling_ >= spec_.hyper_after ? 5 : 1) * increase;
    else
      rate_ *= std::max(0.0, 1 - spec_.decrease * gradient_);
    rate_ = std::clamp(rate_, static_cast<double>(spec_.minimum_rate.value), line());
  }

  TimelySpec spec_;
  double rate_;      // bytes per second
  double last_ = 0;  // round trip, ps
  double difference_ = 0, gradient_ = 0;
  std::int32_t falling_ = 0;
  Bytes counted_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_timely_control(const RoceSpec& spec,
                                                       const PathFacts& facts) {
  return std::make_unique<Timely>(spec.timely, facts);
}

}  // namespace orrery
