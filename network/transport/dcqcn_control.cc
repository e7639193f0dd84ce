// DCQCN: Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3
// and figure 7 (the reaction point). A CNP cuts the rate by alpha / 2; a timer and a byte counter
// raise it again in three phases. With DcqcnSpec::decrease_interval cuts and alpha have clocks of
// their own, which the first CNP starts.
#include <algorithm>
#include <cmath>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Dcqcn final : public CongestionControl {
 public:
  Dcqcn(const DcqcnSpec& spec, const PathFacts& facts)
      : CongestionControl(facts), spec_(spec), current_(line()), target_(line()) {}

  // Equation 1: the target is the rate before the cut, and alpha grows after it.
  void notified(Time now) override {
    if (spec_.decrease_interval > Duration{}) return note(now);
    if (notified_) decay_alpha(now);  // else alpha is that of a new pair, 1
    notified_ = true;
    cut(now);
    alpha_ = (1 - spec_.g) * alpha_ + spec_.g;
    alpha_at_ = now;
  }

  void sent(Time, Bytes size) override {
    if (timer_at_ == Time::never() || spec_.byte_counter == Bytes{}) return;
    counted_ += size;
    if (counted_ < spec_.byte_counter) return;
    counted_ -= spec_.byte_counter;
    ++byte_count_;
    increase();
  }

  void lost(Time now, bool timeout) override {
    if (spec_.cut_on_loss && !timeout) notified(now);
  }

  void timer(Time now) override {
    if (cut_at_ <= now) {
      move_alpha(now);
      cut_at_ = Time::never();
      return cut(now);
    }
    timer_at_ = now + spec_.timer;
    ++timer_count_;
    increase();
  }

  double rate() const override { return current_; }
  Time next_timer() const override { return std::min(timer_at_, cut_at_); }
  double congestion() const override { return alpha_; }

 private:
  static double rate_of(Bandwidth bandwidth) { return static_cast<double>(bandwidth.value); }

  void cut(Time now) {
    if (spec_.clamp_target || timer_count_ + byte_count_ > 0) target_ = current_;
    current_ = std::max(current_ * (1 - alpha_ / 2), rate_of(spec_.minimum_rate));
    timer_at_ = now + spec_.timer;
    timer_count_ = byte_count_ = 0;
    counted_ = Bytes{};
  }

  // Equation 2, for each time that passed without a CNP. What is left after 20,000 of them, with
  // the paper's g, is below the smallest double.
  void decay_alpha(Time now) {
    const std::int64_t times = (now - alpha_at_).value / spec_.alpha_timer.value;
    for (std::int64_t i = std::min<std::int64_t>(times, 200'000); i > 0; --i) alpha_ *= 1 - spec_.g;
  }

  // --- Clocks of their own ---

  void note(Time now) {
    if (!notified_) {
      notified_ = true;
      clock_ = alpha_at_ = now;
    } else {
      move_alpha(now);
      congested_ = true;
    }
    if (cut_at_ != Time::never()) return;
    const std::int64_t passed = (now - clock_).value / spec_.decrease_interval.value;
    cut_at_ = clock_ + spec_.decrease_interval * (passed + 1);
  }

  void move_alpha(Time now) {
    if (now - alpha_at_ < spec_.alpha_timer) return;
    decay_alpha(now);
    const std::int64_t times = (now - alpha_at_).value / spec_.alpha_timer.value;
    if (congested_) alpha_ += spec_.g * std::pow(1 - spec_.g, static_cast<double>(times - 1));
    congested_ = false;
    alpha_at_ += spec_.alpha_timer * times;
  }

  // --- Increases ---

  void increase() {
    const std::int32_t recovery = spec_.fast_recovery;
    const bool by_bytes = spec_.byte_counter > Bytes{};
    if ((by_bytes ? std::min(timer_count_, byte_count_) : timer_count_) > recovery)
      target_ += rate_of(spec_.hyper_increase);
    else if (std::max(timer_count_, byte_count_) >= recovery)
      target_ += rate_of(spec_.additive_increase);
    target_ = std::min(target_, line());
    current_ = (current_ + target_) / 2;
    if (line() - current_ > 1) return;  // bytes per second
    current_ = target_ = line();
    timer_at_ = Time::never();  // nothing is left to do until the next CNP
  }

  DcqcnSpec spec_;
  double current_, target_;  // bytes per second
  double alpha_ = 1;
  bool notified_ = false;   // there was a CNP
  bool congested_ = false;  // one came since alpha moved
  Time alpha_at_, clock_;   // alpha moved; the first CNP
  Time timer_at_ = Time::never(), cut_at_ = Time::never();
  std::int32_t timer_count_ = 0, byte_count_ = 0;  // since the last cut
  Bytes counted_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_dcqcn_control(const RoceSpec& spec,
                                                      const PathFacts& facts) {
  return std::make_unique<Dcqcn>(spec.dcqcn, facts);
}

}  // namespace orrery
