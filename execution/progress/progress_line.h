// The progress of simulations that run side by side.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "execution/progress/rewritten_line.h"
#include "simulation/simulate.h"

namespace orrery {

// "42 %, 12.3 ms simulated, 8.1 M events/s, 15 s left". Without a simulated time when several
// simulations share the line.
std::string progress_text(double fraction, std::optional<Time> simulated, std::uint64_t events,
                          double elapsed_seconds);

class ProgressLine {
 public:
  ProgressLine(const Terminal& terminal, std::size_t simulations);

  void update(std::size_t simulation, const Progress& progress);  // from any thread

 private:
  std::mutex mutex_;
  std::vector<Progress> of_simulation_;
  RewrittenLine line_;
};

}  // namespace orrery
