// "12 of 96 points, 1 failed, 85 s left": a line on a terminal for work that is counted, rewritten
// at most ten times a second, gone when this is.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "frontends/cli/terminal.h"

namespace orrery::cli {

class CountProgress {
 public:
  // `what` is counted, in the plural.
  CountProgress(const Terminal& terminal, std::size_t all, std::string what)
      : terminal_(terminal), all_(all), what_(std::move(what)) {}
  ~CountProgress() {
    if (printed_) terminal_.error << erase_line << std::flush;
  }
  CountProgress(const CountProgress&) = delete;
  CountProgress& operator=(const CountProgress&) = delete;

  // From any thread.
  void show(std::size_t done, std::size_t failed = 0) {
    if (!terminal_.shows_progress) return;
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    if (printed_ && now < next_) return;
    terminal_.error << erase_line << text(done, failed, now) << std::flush;
    printed_ = true;
    next_ = now + std::chrono::milliseconds(100);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr const char* erase_line = "\r\x1b[K";

  std::string text(std::size_t done, std::size_t failed, Clock::time_point now) const {
    std::string line = fmt::format("{} of {} {}", done, all_, what_);
    if (failed > 0) line += fmt::format(", {} failed", failed);
    if (done == 0) return line;
    const std::chrono::duration<double> elapsed = now - start_;
    const double left =
        elapsed.count() * static_cast<double>(all_ - done) / static_cast<double>(done);
    return line + fmt::format(", {:.0f} s left", left);
  }

  Terminal terminal_;
  std::size_t all_;
  std::string what_;
  Clock::time_point start_ = Clock::now(), next_;
  std::mutex mutex_;
  bool printed_ = false;
};

}  // namespace orrery::cli
