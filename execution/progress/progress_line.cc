#include "execution/progress/progress_line.h"

#include <fmt/format.h>

#include <chrono>

#include "core/units/unit_text.h"

namespace orrery {

std::string progress_text(double fraction, std::optional<Time> simulated, std::uint64_t events,
                          double elapsed_seconds) {
  std::string text = fmt::format("{:.0f} %", fraction * 100);
  if (simulated) text += fmt::format(", {} simulated", to_text(*simulated));
  if (elapsed_seconds > 0) {
    text +=
        fmt::format(", {:.1f} M events/s", static_cast<double>(events) / elapsed_seconds * 1e-6);
  }
  if (fraction > 0) {
    text += fmt::format(", {:.0f} s left", elapsed_seconds * (1 - fraction) / fraction);
  }
  return text;
}

ProgressLine::ProgressLine(const Terminal& terminal, std::size_t simulations)
    : of_simulation_(simulations), line_(terminal, std::chrono::milliseconds(300), "simulated") {}

void ProgressLine::update(std::size_t simulation, const Progress& progress) {
  if (!line_.is_seen()) return;
  const std::lock_guard lock(mutex_);
  of_simulation_[simulation] = progress;
  double fraction = 0;
  std::uint64_t events = 0;
  for (const Progress& one : of_simulation_) {
    fraction += one.fraction / static_cast<double>(of_simulation_.size());
    events += one.events;
  }
  std::optional<Time> simulated;
  if (of_simulation_.size() == 1) simulated = progress.simulated;
  line_.show(fraction,
             [&](double elapsed) { return progress_text(fraction, simulated, events, elapsed); });
}

}  // namespace orrery
