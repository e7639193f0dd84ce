#include "frontends/cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"

namespace orrery::cli {

namespace {

constexpr auto first_after = std::chrono::milliseconds(300),
               interval = std::chrono::milliseconds(100);
constexpr const char* erase_line = "\r\x1b[K";

}  // namespace

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
    : terminal_(terminal), next_(start_ + first_after), of_simulation_(simulations) {}

ProgressLine::~ProgressLine() {
  if (printed_) terminal_.error << erase_line << std::flush;
}

void ProgressLine::update(std::size_t simulation, const Progress& progress) {
  if (!terminal_.shows_progress) return;
  const std::lock_guard lock(mutex_);
  of_simulation_[simulation] = progress;
  const Clock::time_point now = Clock::now();
  if (now >= next_) print(now);
}

void ProgressLine::print(Clock::time_point now) {
  double fraction = 0;
  std::uint64_t events = 0;
  for (const Progress& progress : of_simulation_) {
    fraction += progress.fraction / static_cast<double>(of_simulation_.size());
    events += progress.events;
  }
  std::optional<Time> simulated;
  if (of_simulation_.size() == 1) simulated = of_simulation_.front().simulated;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  terminal_.error << erase_line << progress_text(fraction, simulated, events, elapsed)
                  << std::flush;
  printed_ = true;
  next_ = now + interval;
}

}  // namespace orrery::cli
