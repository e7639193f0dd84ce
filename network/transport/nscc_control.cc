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
        target_(spec.target.value_or(spec.trimming ? Duration{facts.round_trip.value * 3 / 4}
                                                   : facts.round_trip)),
        packet_(as_double(facts.packet)) {
    const double bdp = line() * as_double(base_) * 1e-12;
    // 100 Gb/s and 12 us are the path that the parameters are given for.
    scale_ = bdp / 150'000;
    largest_ = std::max(spec.largest_bdps * bdp, packet_);
    window_ = largest_;
  }

  void acknowledged(const Acknowledgement& ack) override {
    const Duration delay = std::max(ack.round_trip - base_, Duration{});
    const double newly = as_double(ack.newly);
    came(newly);
    achieved_ += newly;
    since_adjusted_ += newly;
    // Late and unmarked: its queue drains. As in uet-htsim (update_delay).
    note_delay(!ack.marked && delay > target_ ? Duration{base_.value / 4} : delay);
    const bool late = !spec_.trimming && delay > target_ * spec_.quick_adapt_targets;
    if (adapts(ack.now, ack.marked, late)) return;
    react(ack, delay, newly);
    if (ack.penalty > 0) yield(ack, newly);
    adjust(ack.now);
  }
  // Its queue was full: base stands for the delay.
  void trimmed(Time now, Bytes size) override {
    came(as_double(size));
    note_delay(base_);
    alarm_ = true;
    if (!adapts(now, true, false)) shrink(as_double(size));
  }
  // Also by a timeout, as in uet-htsim (mark_packet_for_retransmission).
  void lost(Time, bool) override {
    came(packet_);
    alarm_ = true;
    shrink(packet_);
  }
  void sent(Time now, Bytes size) override {
    on_its_way_ += as_double(size);
    if (std::exchange(begun_, true)) return;
    adjusted_at_ = decreased_at_ = now;
  }

  double window() const override { return window_; }
  double congestion() const override {
    return std::clamp(average_ / std::max(as_double(target_), 1.0), 0.0, 1.0);
  }

 private:
  void came(double size) {
    on_its_way_ = std::max(on_its_way_ - size, 0.0);
    ignored_ += size;
  }
  void note_delay(Duration delay) {
    average_ += spec_.delay_weight * (as_double(delay) - average_);
  }

  // The four cases of mark and delay.
  void react(const Acknowledgement& ack, Duration delay, double newly) {
    if (ack.marked) {
      if (delay >= target_) decrease(ack.now);  // else the queue is about to drain
    } else if (delay >= target_) {
      increase_ += spec_.fair_increase * packet_ * scale_ * newly;
    } else if (grows_fast(delay, newly)) {
      window_ += newly * spec_.fast_increase * scale_;
    } else {
      const double share = 1 - as_double(delay) / as_double(target_);
      increase_ += spec_.proportional_increase * packet_ * scale_ * target_scale() * share * newly;
    }
  }
  double target_scale() const { return as_double(target_) / as_double(microseconds(12)); }

  // After a window without delay, until there is some.
  bool grows_fast(Duration delay, double newly) {
    clear_ = delay < microseconds(1) ? clear_ + newly : 0;
    fast_ = clear_ > 0 && (fast_ || clear_ > window_);
    return fast_;
  }

  void decrease(Time now) {
    clear_ = 0;
    fast_ = false;
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

  void adjust(Time now) {
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

  // Once in a round trip and target, counted from the first answer: the window becomes what got
  // through, if that is little and something was trimmed, lost or late. Then marks and trims of
  // what was on its way say nothing new. True: it adapted, or this answer says nothing.
  bool adapts(Time now, bool marked, bool late) {
    bool done = false;
    if (marked && ignored_ < to_ignore_) {
      done = true;
    } else if (now >= adapts_at_) {
      const bool little = achieved_ < largest_ / static_cast<double>(1 << spec_.quick_adapt_gate);
      if (adapts_at_ > Time{} && (alarm_ || late) && little) {
        window_ = achieved_;
        to_ignore_ = on_its_way_;
        ignored_ = 0;
        alarm_ = false;
        bound();
        done = true;
      }
      achieved_ = 0;
      adapts_at_ = now + base_ + target_;
    }
    if (done) increase_ = since_adjusted_ = 0;
    return done;
  }

  void shrink(double size) {
    window_ -= size;
    bound();
  }
  void bound() { window_ = std::clamp(window_, packet_, largest_); }

  NsccSpec spec_;
  Duration base_, target_;
  double packet_, scale_ = 1, largest_ = 0, window_ = 0;
  double average_ = 0;  // of the queueing delay, ps
  double increase_ = 0, since_adjusted_ = 0, achieved_ = 0, clear_ = 0, on_its_way_ = 0;
  double to_ignore_ = 0, ignored_ = 0;  // bytes that come after it adapted
  bool alarm_ = false, begun_ = false, fast_ = false;
  Time adjusted_at_, decreased_at_, adapts_at_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_nscc_control(const NsccSpec& spec, const PathFacts& facts) {
  return std::make_unique<Nscc>(spec, facts);
}

}  // namespace orrery
