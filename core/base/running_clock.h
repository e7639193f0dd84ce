// Which simulated time it is, for code that has no clock at hand: the message of a failed CHECK.
// Nothing else may ask; models are given their EventQueue.
#pragma once

#include "core/units/units.h"

namespace orrery {

// While it lives, `now` is the time of this thread; the innermost one counts.
class RunningClock {
 public:
  explicit RunningClock(const Time& now);
  ~RunningClock();
  RunningClock(const RunningClock&) = delete;
  RunningClock& operator=(const RunningClock&) = delete;

  static const Time* now();  // null if no clock is running on this thread

 private:
  const Time* outer_;
};

}  // namespace orrery
