#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "execution/sweep/sweep_folder.h"
#include "execution/sweep/sweep_hosts.h"
#include "execution/sweep/sweep_limits.h"
#include "execution/sweep/sweep_run.h"
#include "execution/sweep/sweep_slurm.h"
#include "execution/sweep/sweep_status.h"
#include "frontends/cli/sweep_points.h"
#include "report/sweep_manifest.h"
#include "report/sweep_report.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

void print_remarks(const std::vector<SweepRow>& rows) {
  for (const SweepRow& row : rows)
    if (row.status == "failed")
      log::record(log::Level::notice, log::Room::frontends, "{}: {} ({})",
                  row.folder.filename().string(), row.failure, (row.folder / "log.txt").string());
  for (const std::string& notice : empty_metrics(rows))
    log::record(log::Level::notice, log::Room::frontends, "{}", notice);
  const auto missing = std::count_if(rows.begin(), rows.end(),
                                     [](const SweepRow& row) { return row.status == "not run"; });
  if (missing > 0)
    log::record(log::Level::error, log::Room::frontends,
                "interrupted with {} of {} points left to do; the same command goes on", missing,
                rows.size());
}

void print_plan(const std::vector<SweepRow>& rows, const Terminal& terminal) {
  for (const SweepRow& planned : rows) {
    SweepRow row = planned;
    terminal.out << (read_result(row) ? "done  " : "to do ") << command_of(row) << '\n';
  }
}

// "3/7". Throws ConfigError.
Shard shard_of(const std::string& text) {
  const SweepValue index = sweep_value(text.substr(0, text.find('/')));
  const SweepValue count =
      sweep_value(text.find('/') == std::string::npos ? "" : text.substr(text.find('/') + 1));
  const auto is_whole = [](const SweepValue& value) {
    return value.kind == SweepValueKind::number && value.number >= 0 && value.number < 1e9 &&
           value.number == static_cast<double>(static_cast<std::size_t>(value.number));
  };
  if (!is_whole(index) || !is_whole(count) || index.number >= count.number)
    throw ConfigError(Diagnostic{.path = "--shard " + text,
                                 .what = "this is no shard",
                                 .remedy = "write I/N with I from 0 to N-1, such as 3/7"});
  return {static_cast<std::size_t>(index.number), static_cast<std::size_t>(count.number)};
}

}  // namespace

ExitCode sweep(const SweepCommandOptions& options, const Terminal& terminal) {
  limits_of(options);
  const Sweep sweep = sweep_of(options);
  LoadedSweep points = loaded(sweep, wanted_points(sweep), options);
  if (options.dry_run) {
    print_plan(points.rows, terminal);
    return ok;
  }
  const ExitCode exit_code = run_sweep(points, options, terminal);
  terminal.out << (options.format == Format::csv
                       ? sweep_csv(points.rows)
                       : wrapped_text(sweep_text(sweep.name, points.rows), terminal.width));
  print_remarks(points.rows);
  return exit_code;
}

ExitCode sweep_exec(const SweepCommandOptions& options, const Terminal& terminal) {
  limits_of(options);
  const Shard shard = shard_of(options.shard);
  const Sweep sweep = sweep_of(options);
  LoadedSweep points = loaded(sweep, wanted_points(sweep), options);
  const ExitCode exit_code = run_shard(points, shard, options, terminal);
  const auto done = std::ranges::count(points.rows, "ok", &SweepRow::status);
  terminal.out << fmt::format("{}, shard {}: {} of {} points\n", sweep.name, options.shard, done,
                              points.rows.size());
  print_remarks(points.rows);
  return exit_code;
}

ExitCode sweep_on_hosts(const SweepCommandOptions& options, const Terminal& terminal) {
  limits_of(options);
  hosts_in(options.hosts);
  const Sweep sweep = sweep_of(options);
  const ExitCode exit_code = run_on_hosts(loaded(sweep, wanted_points(sweep), options), options);
  terminal.out << sweep_status_text(options.output);
  return exit_code;
}

ExitCode sweep_slurm(const SweepCommandOptions& options, const Terminal& terminal) {
  slurm_time(options.time);
  limits_of(options);
  const Sweep sweep = sweep_of(options);
  terminal.out << write_slurm_array(loaded(sweep, wanted_points(sweep), options), options) << '\n';
  return ok;
}

ExitCode sweep_status(const SweepCommandOptions& options, const Terminal& terminal) {
  terminal.out << sweep_status_text(options.output);
  return ok;
}

ExitCode sweep_collect(const SweepCommandOptions& options, const Terminal& terminal) {
  const SweepManifest sweep = read_sweep_folder(options.output);
  write_collected(options.output, sweep);
  if (options.format == Format::csv) {
    terminal.out << csv_of(runs_table(sweep.rows));
    return ok;
  }
  terminal.out << fmt::format(
      "{}: runs.csv has {} points, {} of them done; kinds.csv has their exposed times by kind; "
      "sweep.sqlite has both\n",
      options.output, sweep.rows.size(), std::ranges::count(sweep.rows, "ok", &SweepRow::status));
  return ok;
}

}  // namespace orrery::cli
