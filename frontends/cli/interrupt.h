// Ctrl-C. While an InterruptGuard lives, the first one is only noted, so that what has been
// simulated can be written; the second one ends the process as if there were no guard.
#pragma once

#include <csignal>

namespace orrery::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;  // from any thread

 private:
  struct sigaction before_ {};
};

}  // namespace orrery::cli
