// Ctrl-C, SIGTERM and SIGHUP. While an InterruptGuard lives, the first one is only noted, so that
// what has been simulated can be written; a second one of the same kind ends the process as if
// there were no guard. A SIGHUP that the process ignores (nohup) stays ignored.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace orrery {

// Of the main thread only. Guards inside each other share what was noted.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;  // from any thread

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace orrery
