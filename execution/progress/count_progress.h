// "12 of 96 points, 1 failed, 85 s left": the progress of work that is counted.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "execution/progress/rewritten_line.h"

namespace orrery {

class CountProgress {
 public:
  // `what` is counted, in the plural.
  CountProgress(const Terminal& terminal, std::size_t all, const std::string& what)
      : all_(all), what_(what), line_(terminal, {}, "of the " + what) {}

  // From any thread.
  void show(std::size_t done, std::size_t failed = 0) {
    line_.show(fraction_of(done), [&](double elapsed) { return text(done, failed, elapsed); });
  }

 private:
  double fraction_of(std::size_t done) const {
    return all_ == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all_);
  }

  std::string text(std::size_t done, std::size_t failed, double elapsed) const {
    std::string line = fmt::format("{} of {} {}", done, all_, what_);
    if (failed > 0) line += fmt::format(", {} failed", failed);
    if (done == 0) return line;
    return line + fmt::format(", {:.0f} s left", elapsed * (1 / fraction_of(done) - 1));
  }

  std::size_t all_;
  std::string what_;
  RewrittenLine line_;
};

}  // namespace orrery
