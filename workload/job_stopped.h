// A long job may be stopped while it is written down: nothing has been simulated yet.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>

namespace orrery {

class JobStopped : public std::runtime_error {
 public:
  JobStopped() : std::runtime_error("stopped before the simulation began") {}
};

// Asked now and then; true ends the writing with JobStopped.
using AskStop = std::function<bool()>;

// Asks at one of some thousand operations or labels, and not of a job that has no more.
inline void stop_if_asked(const AskStop& stop, std::size_t written) {
  constexpr std::size_t some = 1 << 14;
  if (written > 0 && written % some == 0 && stop && stop()) throw JobStopped();
}

}  // namespace orrery
