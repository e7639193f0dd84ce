// How much longer computing takes beside communication that occupies a share of the processor, in
// the estimate of schedule_estimate.h. What system/rank/processor.h does exactly, with one share at
// a time: that of the communication that is under way for longest.
#pragma once

#include <algorithm>

#include "core/units/units.h"

namespace orrery {

class TakenTime {
 public:
  // Communication is under way from `now` to `end` and takes that share of the processor.
  void begins(Duration now, Duration end, double share) {
    share_ = now < until_ ? std::max(share_, share) : share;
    until_ = std::max(until_, end);
  }

  // By so much does a pass take longer that begins now and computes for a part of its time. At the
  // share s it does 1 - s of its work while the communication lasts.
  Duration longer(Duration now, Duration whole, Duration computing) const {
    if (share_ == 0 || now >= until_ || whole <= Duration{}) return {};
    const double busy = static_cast<double>(computing.value) / static_cast<double>(whole.value);
    const double beside = busy * static_cast<double>((until_ - now).value);
    const double all = static_cast<double>(computing.value) / (1 - share_);
    return picoseconds(static_cast<std::int64_t>(share_ * std::min(beside, all)));
  }

 private:
  Duration until_;
  double share_ = 0;
};

}  // namespace orrery
