#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "formats/input/input_texts.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/count_progress.h"
#include "frontends/cli/failure.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/named_examples.h"
#include "frontends/cli/process_pool.h"
#include "frontends/sweep/sweep_folder.h"
#include "frontends/yaml/load_sweep.h"
#include "frontends/yaml/load_traffic.h"
#include "report/result_folder.h"
#include "report/sweep_report.h"
#include "simulation/provenance.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

std::vector<Override> overrides_of(const SweepPoint& point) {
  std::vector<Override> overrides;
  for (const SweepSetting& setting : point.settings) {
    const std::string text = fmt::format("{}={}", setting.key, setting.value);
    overrides.push_back({text, fmt::format("{}: {}", setting.place, text)});
  }
  return overrides;
}

// Over what the file's `set` says. Throws ConfigError for what is no setting, or is varied.
void add_settings(Sweep& sweep, const std::vector<std::string>& texts) {
  std::vector<Diagnostic> problems;
  const auto is = [](const std::string& key) {
    return [&key](const SweepSetting& setting) { return setting.key == key; };
  };
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos)
      problems.push_back(
          {.path = "--set " + text, .what = "no value", .remedy = "write KEY=VALUE"});
    for (const SweepAxis& axis : sweep.axes)
      if (std::ranges::any_of(axis.steps.front(), is(key)))
        problems.push_back({.path = "--set " + key,
                            .what = "the sweep varies this key",
                            .remedy = "change its values in the sweep's `vary`"});
    if (equals == std::string::npos) continue;
    std::erase_if(sweep.common, is(key));
    sweep.common.push_back({key, text.substr(equals + 1), "--set"});
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
}

[[noreturn]] void refuse_condition(std::string what, std::string remedy) {
  throw ConfigError(std::vector<Diagnostic>{
      {.path = "where", .what = std::move(what), .remedy = std::move(remedy)}});
}

// --set may have changed what a condition reads.
std::vector<SweepPoint> wanted_points(const Sweep& sweep) {
  try {
    std::vector<SweepPoint> points = points_of(sweep);
    if (points.empty()) refuse_condition("no point is left", "change --set or `where`");
    return points;
  } catch (const SweepConditionError& error) {
    refuse_condition(error.what(), error.remedy);
  }
}

// Loads every point, so that a mistake in the last one shows before the first one has run for an
// hour. Throws ConfigError with the problems of all of them, each once.
std::vector<SweepRow> rows_of(const Sweep& sweep, InputTexts& texts, const SweepOptions& options) {
  std::vector<SweepRow> rows;
  std::vector<Diagnostic> problems;
  for (SweepPoint& point : wanted_points(sweep)) {
    try {
      const LoadedFile loaded = load_job_or_flows(point.experiment, overrides_of(point), texts);
      const auto* flows = std::get_if<TrafficExperiment>(&loaded);
      SweepRow row;
      row.has_flows = flows != nullptr;
      row.folder = fs::path(options.output) / "points" / folder_name(point);
      row.version = options.invocation.version;
      row.commit = options.invocation.commit;
      row.inputs = inputs_hash(flows != nullptr ? flows->experiment : std::get<Experiment>(loaded));
      row.status = "not run";
      row.point = std::move(point);
      rows.push_back(std::move(row));
    } catch (const ConfigError& error) {
      for (const Diagnostic& problem : error.diagnostics()) {
        const auto is_same = [&](const Diagnostic& known) {
          return format_diagnostic(known) == format_diagnostic(problem);
        };
        if (std::none_of(problems.begin(), problems.end(), is_same)) problems.push_back(problem);
      }
    }
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
  return rows;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The command that gives the same result.
std::string command_of(const SweepRow& row) {
  std::vector<std::string> arguments{"orrery", row.has_flows ? "traffic" : "run",
                                     row.point.experiment};
  for (const SweepSetting& setting : row.point.settings) {
    arguments.emplace_back("--set");
    arguments.push_back(fmt::format("{}={}", setting.key, setting.value));
  }
  for (const char* argument : {"--force", "-o"}) arguments.emplace_back(argument);
  arguments.push_back(row.folder.string());
  return shell_text(arguments);
}

// In a process of its own. It reads no file: `texts` has what was checked.
int run_point(const SweepRow& row, InputTexts& texts, const Invocation& sweep) {
  const log::Session messages({}, std::cerr);
  try {
    const Invocation invocation{sweep.version, sweep.commit, command_of(row)};
    std::ostream nowhere(nullptr);
    const Terminal terminal{nowhere, std::cerr};
    const LoadedFile loaded =
        load_job_or_flows(row.point.experiment, overrides_of(row.point), texts);
    if (const auto* flows = std::get_if<TrafficExperiment>(&loaded)) {
      TrafficRunOptions options;
      options.invocation = invocation;
      options.output = row.folder;
      options.force = true;
      return traffic_loaded(*flows, options, terminal);
    }
    SimulationOptions options;
    options.invocation = invocation;
    options.output = row.folder;
    options.force = true;
    return run_loaded(std::get<Experiment>(loaded), options, terminal);
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    log::write(log::Level::error, log::Room::frontends, failure.text);
    return failure.exit_code;
  }
}

void finish(SweepRow& row, int exit_code) {
  if (exit_code == interrupted) return;
  if (exit_code == ok && read_result(row)) return;
  remove_other_result(row);
  row.status = "failed";
  row.failure = first_line(row.folder / "log.txt");
  if (row.failure.empty()) row.failure = fmt::format("it ended with exit code {}", exit_code);
}

// Runs what is not done. Ctrl-C goes to this process alone (the children are in process groups of
// their own), which passes it on once, as it does SIGTERM and SIGHUP: each child then writes what
// it has.
ExitCode run_points(std::vector<SweepRow>& rows, InputTexts& texts, const SweepOptions& options,
                    const Terminal& terminal) {
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (options.force || !read_result(rows[i])) waiting.push_back(i);
  const InterruptGuard interrupt;
  CountProgress progress(terminal, waiting.size(), "points");
  ProcessPool pool(options.jobs);
  std::size_t next = 0, done = 0, failed = 0;
  bool passed_on = false;
  while (true) {
    while (!pool.full() && next < waiting.size() && !interrupt.interrupted()) {
      const std::size_t index = waiting[next++];
      prepare_point(rows[index]);
      pool.start(
          index, [&] { return run_point(rows[index], texts, options.invocation); },
          rows[index].folder / "log.txt");
    }
    if (pool.empty()) break;
    progress.show(done, failed);
    if (const std::optional<ChildExit> exit = pool.wait()) {
      SweepRow& row = rows[exit->task];
      finish(row, exit->exit_code);
      ++done;
      if (row.status == "failed") ++failed;
    }
    if (interrupt.interrupted() && !passed_on) {
      pool.signal_all(SIGINT);
      passed_on = true;
    }
  }
  if (interrupt.interrupted()) return interrupted;
  return failed > 0 ? simulation_failed : ok;
}

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

}  // namespace

ExitCode sweep(const SweepOptions& options, const Terminal& terminal) {
  Sweep sweep = load_sweep(experiment_of(options.file));
  add_settings(sweep, options.settings);
  InputTexts texts;
  std::vector<SweepRow> rows = rows_of(sweep, texts, options);
  if (options.dry_run) {
    print_plan(rows, terminal);
    return ok;
  }
  const InterruptGuard interrupt;  // until sweep.csv is written
  prepare_result_folder(options.output, Overwrite::allow);
  const SweepLock lock(options.output);
  remove_unfinished(options.output);
  const ExitCode exit_code = run_points(rows, texts, options, terminal);
  const std::string csv = sweep_csv(rows);
  write_whole_file(fs::path(options.output) / "sweep.csv", csv);
  terminal.out << (options.format == Format::csv
                       ? csv
                       : wrapped_text(sweep_text(sweep.name, rows), terminal.width));
  print_remarks(rows);
  return exit_code;
}

}  // namespace orrery::cli
