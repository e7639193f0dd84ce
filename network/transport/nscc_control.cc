#include "network/transport/nscc_control.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

double as_double(Duration time) { return static_cast<double>(time.value); }
double as_double(Bytes size) { return static_cast<double>(size.value); }

class Nscc final : public CongestionControl {
 public:
  Nscc(const NsccSpec& spec, const PathFacts& facts)
      : CongestionControl(facts),
        spec_(spec),
        base_(facts.round_trip),
        target_(spec.target.value_or(Duration{facts.round_trip.value / 2})),
        packet_(as_double(facts.packet)) {
    const double bdp = line() * as_double(base_) * 1e-12;
    // 100 Gb/s and 12 us are the path that the parameters are given for.
    scale_ = bdp / 150'000;
    largest_ = std::max(1.5 * bdp, packet_);
    window_ = largest_;
  }

  void acknowledged(const Acknowledgement& ack) override {
    const Duration delay = std::max(ack.round_trip - base_, Duration{});
    const double newly = as_double(ack.newly);
    achieved_ += newly;
    average_ += spec_.delay_weight * (as_double(delay) - average_);
    if (quick_adapts(ack, delay)) return;
    if (as_double(ack.acknowledged) > ignore_until_) react(ack, delay, newly);
    if (ack.penalty > 0) yield(ack, newly);
    adjust(ack.now, newly);
  }
  void trimmed(Time, Bytes size) override { shrink(as_double(size)); }
  // Also by a timeout, as in uet-htsim (mark_packet_for_retransmission).
  void lost(Time, bool) override { shrink(packet_); }
  void sent(Time now, Bytes) override {
    if (begun_) return;
    begun_ = true;
    adjusted_at_ = decreased_at_ = quick_at_ = now;
  }

  double window() const override { return window_; }
  double congestion() const override {
    return std::clamp(average_ / std::max(as_double(target_), 1.0), 0.0, 1.0);
  }

 private:
  // The four cases of mark and delay.
  void react(const Acknowledgement& ack, Duration delay, double newly) {
    if (ack.marked && delay >= target_) return decrease(ack.now);
    clear_ = ack.marked || delay >= microseconds(1) ? 0 : clear_ + newly;
    if (ack.marked) return;  // the queue is about to drain
    if (delay >= target_) {
      increase_ += spec_.fair_increase * packet_ * scale_ * newly;
    } else if (clear_ >= window_) {
      window_ += newly * spec_.fast_increase * scale_;
    } else {
      const double share = 1 - as_double(delay) / as_double(target_);
      increase_ += spec_.proportional_increase * packet_ * scale_ * target_scale() * share * newly;
    }
  }
  double target_scale() const { return as_double(target_) / as_double(microseconds(12)); }

  void decrease(Time now) {
    clear_ = 0;
    if (now - decreased_at_ < base_ || average_ <= as_double(target_)) return;
    decreased_at_ = now;
    const double excess = (average_ - as_double(target_)) / average_;
    window_ *= std::max(1 - spec_.gamma * excess, 1 - spec_.most_decrease);
  }

  // To a receiver that is slow: no more than was on its way, and less by a part of what came, so
  // that 64 of 128 in a round trip halve the window (3.6.13.2).
  void yield(const Acknowledgement& ack, double newly) {
    constexpr double whole = 128;
    window_ = std::min(window_, as_double(ack.sent - ack.acknowledged) + newly) -
              static_cast<double>(ack.penalty) / whole * newly;
    bound();
  }

  void adjust(Time now, double newly) {
    since_adjusted_ += newly;
    const bool period = now - adjusted_at_ >= base_;
    if (!period && since_adjusted_ < packet_ * spec_.adjust_after) return bound();
    window_ += increase_ / std::max(window_, packet_);
    if (period) {
      window_ += spec_.eta * packet_ * scale_;
      adjusted_at_ = now;
    }
    increase_ = since_adjusted_ = 0;
    bound();
  }

  // Once in a round trip and target: of what got through, if that is little and much was lost or
  // late. True: it did.
  bool quick_adapts(const Acknowledgement& ack, Duration delay) {
    alarm_ |= delay > target_ * 4;
    if (ack.now - quick_at_ < base_ + target_) return false;
    const double got = std::exchange(achieved_, 0);
    const bool alarm = std::exchange(alarm_, false);
    quick_at_ = ack.now;
    if (!alarm || got >= largest_ / static_cast<double>(1 << spec_.quick_adapt_gate)) return false;
    window_ = got;
    ignore_until_ = as_double(ack.sent);
    increase_ = since_adjusted_ = 0;
    bound();
    return true;
  }

  void shrink(double size) {
    alarm_ = true;
    clear_ = 0;
    window_ -= size;
    bound();
  }
  void bound() { window_ = std::clamp(window_, packet_, largest_); }

  NsccSpec spec_;
  Duration base_, target_;
  double packet_, scale_ = 1, largest_ = 0, window_ = 0;
  double average_ = 0;  // of the queueing delay, ps
  double increase_ = 0, since_adjusted_ = 0, achieved_ = 0, clear_ = 0;
  double ignore_until_ = -1;  // bytes of the stream: acknowledgements of what was then on its way
  bool alarm_ = false, begun_ = false;
  Time adjusted_at_, decreased_at_, quick_at_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_nscc_control(const NsccSpec& spec, const PathFacts& facts) {
  return std::make_unique<Nscc>(spec, facts);
}

}  // namespace orrery
