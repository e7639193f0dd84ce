#include "execution/sweep/sweep_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "core/units/unit_text.h"
#include "execution/interrupt.h"
#include "execution/process/process_pool.h"
#include "execution/process/scratch_folder.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double probe_seconds = 30;  // then a probe is stopped

std::string seconds_text(double seconds) {
  if (seconds >= 7200) return fmt::format("{:.1f} h", seconds / 3600);
  return to_text(Duration{static_cast<std::int64_t>(seconds * 1e12)});
}

struct Probe {
  double seconds = 0;
  Bytes disk, peak_memory;
  bool was_stopped = false, failed = false;
};

Bytes size_of(const fs::path& folder) {
  std::int64_t size = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) size += static_cast<std::int64_t>(entry.file_size());
  return Bytes{size};
}

// One after the other, so that they do not share a core.
Probe probed(const SweepRow& row, const SimulatePoint& simulate, const InterruptGuard& interrupt) {
  fs::create_directories(row.folder);
  ProcessPool pool(1);
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const auto work = [&](std::ostream& messages) {
    std::ostream nowhere(nullptr);
    return simulate(row, PointOutput::folder, nowhere, messages);
  };
  pool.start(0, work, row.folder / "log.txt");
  Probe probe;
  while (!pool.empty()) {
    if (const std::optional<ChildExit> exit = pool.wait()) {
      probe.peak_memory = exit->peak_memory;
      probe.failed = exit->exit_code != 0;
    } else if (!probe.was_stopped && (elapsed() > probe_seconds || interrupt.interrupted())) {
      probe.was_stopped = true;
      pool.signal_all(SIGKILL);
    }
  }
  probe.seconds = elapsed();
  probe.disk = size_of(row.folder);
  return probe;
}

std::string estimate_of(const std::vector<Probe>& probes, std::size_t points, std::size_t jobs) {
  double seconds = 0;
  Bytes disk, memory;
  bool was_stopped = false;
  std::string each;
  for (const Probe& probe : probes) {
    seconds += probe.seconds / static_cast<double>(probes.size());
    disk += Bytes{probe.disk.value / static_cast<std::int64_t>(probes.size())};
    memory = std::max(memory, probe.peak_memory);
    was_stopped = was_stopped || probe.was_stopped;
    each += fmt::format("{}{}{}", each.empty() ? "" : ", ", seconds_text(probe.seconds),
                        probe.was_stopped ? " (stopped)"
                        : probe.failed    ? " (failed)"
                                          : "");
  }
  const auto side_by_side = static_cast<double>(std::min(jobs, points));
  const double all = seconds * static_cast<double>(points) / side_by_side;
  return fmt::format(
      "probes: {} ({} of {} points)\nestimate: {}{} with {} at a time, {} on disk, at most {} of "
      "memory for each\n",
      each, probes.size(), points, was_stopped ? "more than " : "", seconds_text(all),
      std::min(jobs, points),
      to_text(Bytes{static_cast<std::int64_t>(static_cast<double>(disk.value) *
                                              static_cast<double>(points))}),
      to_text(memory));
}

}  // namespace

std::optional<std::string> sweep_estimate(const LoadedSweep& sweep, std::size_t points,
                                          std::size_t at_a_time) {
  const InterruptGuard interrupt;
  std::vector<Probe> probes;
  for (const SweepRow& row : sweep.rows) {
    probes.push_back(probed(row, sweep.simulate, interrupt));
    if (interrupt.interrupted()) return std::nullopt;
  }
  return estimate_of(probes, points, at_a_time);
}

}  // namespace orrery
