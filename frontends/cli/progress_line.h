// A line on a terminal that says how far simulations are; rewritten at most ten times a second,
// gone when they are done.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/terminal.h"
#include "simulation/simulate.h"

namespace orrery::cli {

// "42 %, 12.3 ms simulated, 8.1 M events/s, 15 s left". Without a simulated time when several
// simulations share the line.
std::string progress_text(double fraction, std::optional<Time> simulated, std::uint64_t events,
                          double elapsed_seconds);

class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::size_t simulations);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::size_t simulation, const Progress& progress);  // from any thread

 private:
  using Clock = std::chrono::steady_clock;

  void print(Clock::time_point now);

  Terminal terminal_;
  Clock::time_point start_ = Clock::now(), next_;
  bool printed_ = false;
  std::mutex mutex_;
  std::vector<Progress> of_simulation_;
};

}  // namespace orrery::cli
