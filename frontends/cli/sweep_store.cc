// `orrery sweep status` and `collect`: what a sweep's folder says, without its file.
#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"
#include "frontends/cli/commands.h"
#include "frontends/sweep/sweep_folder.h"
#include "report/sweep_manifest.h"
#include "report/sweep_report.h"

namespace orrery::cli {

namespace {

// Of those that are left, by the mean time of those that are done.
std::string time_left(const std::vector<SweepRow>& rows, std::size_t left, std::size_t running) {
  double seconds = 0;
  std::size_t done = 0;
  for (const SweepRow& row : rows) {
    const auto found = row.numbers.find("wall_s");
    if (row.status != "ok" || found == row.numbers.end()) continue;
    seconds += std::stod(found->second);
    ++done;
  }
  if (done == 0 || running == 0) return "";
  const double mean = seconds / static_cast<double>(done);
  const auto text = [](double time) {
    return to_text(Duration{static_cast<std::int64_t>(time * 1e12)});
  };
  return fmt::format("about {} left: a point takes {} on average, {} at a time\n",
                     text(mean * static_cast<double>(left) / static_cast<double>(running)),
                     text(mean), running);
}

}  // namespace

ExitCode sweep_status(const SweepOptions& options, const Terminal& terminal) {
  const SweepManifest sweep = read_sweep_folder(options.output);
  const auto count = [&](const char* status) {
    return static_cast<std::size_t>(std::ranges::count(sweep.rows, status, &SweepRow::status));
  };
  const std::size_t done = count("ok"), failed = count("failed"), begun = count("begun");
  const bool is_worked_on = is_locked(options.output);
  terminal.out << fmt::format("{}: {} of {} points done, {} failed, {} {}, {} not begun\n",
                              sweep.name, done, sweep.rows.size(), failed, begun,
                              is_worked_on ? "running" : "interrupted", count("not run"));
  if (is_worked_on) terminal.out << time_left(sweep.rows, sweep.rows.size() - done - failed, begun);
  constexpr std::size_t most_failures = 10;
  std::size_t shown = 0;
  for (const SweepRow& row : sweep.rows)
    if (row.status == "failed" && ++shown <= most_failures)
      terminal.out << fmt::format("failed: {}: {}\n", row.folder.filename().string(), row.failure);
  if (shown > most_failures)
    terminal.out << fmt::format("failed: {} more\n", shown - most_failures);
  return ok;
}

ExitCode sweep_collect(const SweepOptions& options, const Terminal& terminal) {
  const SweepManifest sweep = read_sweep_folder(options.output);
  const auto done = std::ranges::count(sweep.rows, "ok", &SweepRow::status);
  write_collected(options.output, sweep);
  if (options.format == Format::csv)
    terminal.out << csv_of(runs_table(sweep.rows));
  else
    terminal.out << fmt::format(
        "{}: runs.csv has {} points, {} of them done; kinds.csv has their "
        "exposed times by kind; sweep.sqlite has both\n",
        options.output, sweep.rows.size(), done);
  return ok;
}

}  // namespace orrery::cli
