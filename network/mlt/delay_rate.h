// A rate that follows the delay of a path, by the two thresholds of TIMELY (R. Mittal et al.,
// SIGCOMM 2015, algorithm 1) without its gradient. It starts at the line's, and rises by steps
// while the delay is low. Above the high threshold it falls to 1 - factor (1 - high / delay) of
// itself, at most once in a round trip. What waits takes long to drain, so it never falls below
// that part of what comes out at the other end.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/units/units.h"
#include "network/mlt_spec.h"

namespace orrery {

class DelayRate {
 public:
  DelayRate(const MltRateSpec& spec, Bandwidth line, Duration idle_round_trip)
      : spec_(spec), line_(line), idle_(idle_round_trip), rate_(line) {}

  // A packet that was sent then came, and the sender hears of it now. `delivered`: with those of
  // the flow that came since the report before.
  void heard(Time now, Time sent_at, Bandwidth delivered) {
    const Duration delay = now - sent_at - idle_;
    if (delay > spec_.high) {
      if (sent_at < cut_at_) return;  // it left before the rate fell
      cut_at_ = now;
      const Bandwidth from = std::max(rate_, delivered);
      const double left = 1 - spec_.factor * (1 - static_cast<double>(spec_.high.value) /
                                                      static_cast<double>(delay.value));
      const std::int64_t cut = std::llround(static_cast<double>(from.value) * left);
      rate_ = std::min(rate_, std::max(std::min(spec_.minimum, line_), Bandwidth{cut}));
    } else if (delay < spec_.low) {
      rate_ = std::min(line_, rate_ + spec_.step);
    }
  }
  Bandwidth rate() const { return rate_; }
  bool is_full() const { return rate_ == line_; }

 private:
  MltRateSpec spec_;
  Bandwidth line_;
  Duration idle_;
  Bandwidth rate_;
  Time cut_at_;
};

}  // namespace orrery
