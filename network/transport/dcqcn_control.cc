// DCQCN: Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, section 3
// and figure 7 (the reaction point). A CNP cuts the rate by alpha / 2; a timer and a byte counter
// raise it again in three phases.
#include <algorithm>

#include "network/transport/congestion_control.h"

namespace orrery {
namespace {

class Dcqcn final : public CongestionControl {
 public:
  Dcqcn(const DcqcnSpec& spec, const PathFacts& facts)
      : CongestionControl(facts), spec_(spec), current_(line()), target_(line()) {}

  // Equation 1: the target is the rate before the cut, and alpha grows after it.
  void notified(Time now) override {
    decay_alpha(now);
    target_ = current_;
    current_ = std::max(current_ * (1 - alpha_ / 2), rate_of(spec_.minimum_rate));
    alpha_ = (1 - spec_.g) * alpha_ + spec_.g;
    decayed_at_ = now;
    timer_at_ = now + spec_.timer;
    timer_count_ = byte_count_ = 0;
    counted_ = Bytes{};
  }

  void sent(Time, Bytes size) override {
    if (timer_at_ == Time::never()) return;
    counted_ += size;
    if (counted_ < spec_.byte_counter) return;
    counted_ -= spec_.byte_counter;
    ++byte_count_;
    increase();
  }

  void timer(Time now) override {
    timer_at_ = now + spec_.timer;
    ++timer_count_;
    increase();
  }

  double rate() const override { return current_; }
  Time next_timer() const override { return timer_at_; }
  double congestion() const override { return alpha_; }

 private:
  static double rate_of(Bandwidth bandwidth) { return static_cast<double>(bandwidth.value); }

  // Equation 2, for each time that passed without a CNP. What is left after 20,000 of them, with
  // the paper's g, is below the smallest double.
  void decay_alpha(Time now) {
    if (!cut_) {
      cut_ = true;  // the first one finds the alpha of a new pair, 1
      return;
    }
    const std::int64_t times = (now - decayed_at_).value / spec_.alpha_timer.value;
    for (std::int64_t i = std::min<std::int64_t>(times, 200'000); i > 0; --i) alpha_ *= 1 - spec_.g;
  }

  void increase() {
    const std::int32_t recovery = spec_.fast_recovery;
    if (std::min(timer_count_, byte_count_) > recovery)
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
  bool cut_ = false;  // there was a CNP
  Time decayed_at_, timer_at_ = Time::never();
  std::int32_t timer_count_ = 0, byte_count_ = 0;  // since the last CNP
  Bytes counted_;
};

}  // namespace

std::unique_ptr<CongestionControl> make_dcqcn_control(const RoceSpec& spec,
                                                      const PathFacts& facts) {
  return std::make_unique<Dcqcn>(spec.dcqcn, facts);
}

}  // namespace orrery
