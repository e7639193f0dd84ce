// `orrery sweep plan`: how many points, which ones, and how long they will take.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/process_pool.h"
#include "frontends/cli/scratch_folder.h"
#include "frontends/cli/sweep_points.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_probes = 3;
constexpr double probe_seconds = 30;  // then a probe is stopped

std::string seconds_text(double seconds) {
  if (seconds >= 7200) return fmt::format("{:.1f} h", seconds / 3600);
  return to_text(Duration{static_cast<std::int64_t>(seconds * 1e12)});
}

std::string keys_of(const SweepAxis& axis) {
  std::string keys;
  for (const SweepSetting& setting : axis.steps.front())
    keys += (keys.empty() ? "" : " with ") + setting.key;
  return fmt::format("  {}: {} values\n", keys, axis.steps.size());
}

std::string counts_of(const Sweep& sweep, std::size_t points) {
  const std::size_t all = count_combinations(sweep);
  std::string text = fmt::format("{}: {} points", sweep.name, points);
  if (points < all) text += fmt::format(", which `where` leaves of {}", all);
  text += fmt::format("\n  experiments: {}\n", sweep.experiments.size());
  for (const SweepAxis& axis : sweep.axes) text += keys_of(axis);
  return text;
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
Probe probed(const SweepRow& row, InputTexts& texts, const SweepOptions& options,
             const InterruptGuard& interrupt) {
  fs::create_directories(row.folder);
  ProcessPool pool(1);
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  pool.start(
      0, [&] { return run_point(row, texts, options.invocation); }, row.folder / "log.txt");
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

// The first, the middle and the last point: they differ most often.
std::vector<SweepPoint> probe_points(const Sweep& sweep, std::size_t points) {
  const std::size_t most = 100'000;  // a plan of a huge grid looks at its beginning only
  std::vector<SweepPoint> known = wanted_points(sweep, std::min(points, most));
  std::vector<SweepPoint> chosen{known.front()};
  if (known.size() > 2) chosen.push_back(known[known.size() / 2]);
  if (known.size() > 1) chosen.push_back(known.back());
  chosen.resize(std::min(chosen.size(), most_probes));
  return chosen;
}

}  // namespace

ExitCode sweep_plan(const SweepOptions& given, const Terminal& terminal) {
  const Sweep sweep = sweep_of(given);
  const std::vector<SweepPoint> first = wanted_points(sweep, 3);
  const std::size_t points = count_points(sweep);
  SweepOptions options = given;
  if (options.output.empty()) options.output = "DIR";
  InputTexts texts;
  terminal.out << counts_of(sweep, points) << "first points:\n";
  for (const SweepRow& row : rows_of(sweep, first, texts, options))
    terminal.out << "  " << command_of(row) << '\n';
  if (!options.probes) return ok;
  const InterruptGuard interrupt;
  const ScratchFolder folder("plan");
  options.output = folder.path();
  std::vector<Probe> probes;
  for (const SweepRow& row : rows_of(sweep, probe_points(sweep, points), texts, options)) {
    probes.push_back(probed(row, texts, options, interrupt));
    if (interrupt.interrupted()) return interrupted;
  }
  terminal.out << estimate_of(probes, points, options.jobs);
  return ok;
}

}  // namespace orrery::cli
