#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/sweep_limits.h"
#include "frontends/cli/sweep_points.h"
#include "frontends/sweep/sweep_folder.h"
#include "report/result_folder.h"
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

ExitCode sweep(const SweepOptions& options, const Terminal& terminal) {
  limits_of(options);
  const Sweep sweep = sweep_of(options);
  InputTexts texts;
  std::vector<SweepRow> rows = rows_of(sweep, wanted_points(sweep), texts, options);
  if (options.dry_run) {
    print_plan(rows, terminal);
    return ok;
  }
  const InterruptGuard interrupt;  // until sweep.csv is written
  prepare_result_folder(options.output, Overwrite::allow);
  const SweepLock lock(options.output);
  remove_unfinished(options.output);
  write_whole_file(fs::path(options.output) / manifest_name, manifest_text({sweep.name, rows}));
  const ExitCode exit_code = run_points(rows, texts, options, {}, terminal);
  const std::string csv = sweep_csv(rows);
  write_whole_file(fs::path(options.output) / "sweep.csv", csv);
  terminal.out << (options.format == Format::csv
                       ? csv
                       : wrapped_text(sweep_text(sweep.name, rows), terminal.width));
  print_remarks(rows);
  return exit_code;
}

ExitCode sweep_exec(const SweepOptions& options, const Terminal& terminal) {
  limits_of(options);
  const Shard shard = shard_of(options.shard);
  const Sweep sweep = sweep_of(options);
  InputTexts texts;
  const std::vector<SweepRow> all = rows_of(sweep, wanted_points(sweep), texts, options);
  prepare_result_folder(options.output, Overwrite::allow);
  const SweepLock lock(options.output, SweepLock::Share::shards);
  write_whole_file(fs::path(options.output) / manifest_name, manifest_text({sweep.name, all}));
  std::vector<SweepRow> rows;
  for (std::size_t i = shard.index; i < all.size(); i += shard.count) rows.push_back(all[i]);
  const ExitCode exit_code = run_points(rows, texts, options, shard, terminal);
  const auto done = std::ranges::count(rows, "ok", &SweepRow::status);
  terminal.out << fmt::format("{}, shard {}: {} of {} points\n", sweep.name, options.shard, done,
                              rows.size());
  print_remarks(rows);
  return exit_code;
}

}  // namespace orrery::cli
