#include "frontends/cli/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <thread>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "core/base/log.h"
#include "frontends/cli/count_progress.h"
#include "frontends/cli/failure.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/named_examples.h"
#include "frontends/cli/process_pool.h"
#include "frontends/sweep/sweep_folder.h"
#include "frontends/yaml/load_sweep.h"
#include "frontends/yaml/load_traffic.h"
#include "report/result_folder.h"
#include "report/sweep_manifest.h"
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

}  // namespace

Sweep sweep_of(const SweepOptions& options) {
  Sweep sweep = load_sweep(experiment_of(options.file));
  add_settings(sweep, options.settings);
  return sweep;
}

// --set may have changed what a condition reads.
std::vector<SweepPoint> wanted_points(const Sweep& sweep, std::size_t most) {
  try {
    std::vector<SweepPoint> points = points_of(sweep, most);
    if (points.empty()) refuse_condition("no point is left", "change --set or `where`");
    return points;
  } catch (const SweepConditionError& error) {
    refuse_condition(error.what(), error.remedy);
  }
}

std::vector<SweepRow> rows_of(const Sweep& sweep, std::vector<SweepPoint> points, InputTexts& texts,
                              const SweepOptions& options) {
  std::vector<SweepRow> rows;
  std::vector<Diagnostic> problems;
  std::set<std::string> said;
  for (SweepPoint& point : points) {
    try {
      const LoadedFile loaded = load_job_or_flows(point.experiment, overrides_of(point), texts);
      const auto* flows = std::get_if<TrafficExperiment>(&loaded);
      SweepRow row;
      row.has_flows = flows != nullptr;
      row.metrics = sweep.metrics;
      row.version = options.invocation.version;
      row.commit = options.invocation.commit;
      row.inputs = inputs_hash(flows != nullptr ? flows->experiment : std::get<Experiment>(loaded));
      row.folder = fs::path(options.output) / "points" /
                   folder_name(point, row.version + '\n' + row.commit + '\n' + row.inputs);
      row.status = "not run";
      row.point = std::move(point);
      rows.push_back(std::move(row));
    } catch (const ConfigError& error) {
      for (const Diagnostic& problem : error.diagnostics())
        if (said.insert(format_diagnostic(problem)).second) problems.push_back(problem);
    }
  }
  if (!problems.empty()) throw ConfigError(std::move(problems));
  return rows;
}

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

namespace {

// The last lines of it.
std::vector<std::string> lines_of(const fs::path& path) {
  constexpr std::size_t most = 20;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (lines.size() == most) lines.erase(lines.begin());
    lines.push_back(line);
  }
  return lines;
}

// Another shard that runs the same point takes its files away for the moment in which it writes its
// own.
bool read_written_result(SweepRow& row) {
  constexpr int attempts = 40;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (read_result(row)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// What a log says, without "error: ".
std::string message_of(const std::string& line) {
  constexpr std::string_view head = "error: ";
  return line.starts_with(head) ? line.substr(head.size()) : line;
}

void finish(SweepRow& row, const ChildExit& exit) {
  if (exit.exit_code == interrupted || read_result(row)) return;
  if (exit.exit_code == ok && read_written_result(row)) return;
  const std::vector<std::string> lines = lines_of(row.folder / "log.txt");
  if (exit.exit_code == wrong_files)  // a full disk: others would fail too
    throw IoError(lines.empty() ? "a point cannot be written" : message_of(lines.back()));
  row.status = "failed";
  row.failure =
      lines.empty() ? fmt::format("it ended with exit code {}", exit.exit_code) : lines.front();
  write_whole_file(row.folder / failure_name,
                   failure_text({exit.exit_code, exit.peak_memory, lines}));
}

// Points that are not done; two that are the same simulation share a folder, and one of them runs.
std::vector<std::size_t> points_to_do(std::vector<SweepRow>& rows, bool force) {
  std::vector<std::size_t> waiting;
  std::set<fs::path> begun;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if ((force || !read_result(rows[i])) && begun.insert(rows[i].folder).second)
      waiting.push_back(i);
  return waiting;
}

// A signal may be of a machine that ran out of memory: another attempt may succeed.
bool is_worth_another(int exit_code) { return exit_code > 128 && exit_code != interrupted; }

}  // namespace

// Ctrl-C goes to this process alone (the children are in process groups of
// their own), which passes it on once, as it does SIGTERM and SIGHUP: each child then writes what
// it has.
ExitCode run_points(std::vector<SweepRow>& rows, InputTexts& texts, const SweepOptions& options,
                    const Terminal& terminal) {
  std::vector<std::size_t> waiting = points_to_do(rows, options.force);
  const InterruptGuard interrupt;
  CountProgress progress(terminal, waiting.size(), "points");
  ProcessPool pool(options.jobs);
  std::set<std::size_t> repeated;
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
      if (is_worth_another(exit->exit_code) && repeated.insert(exit->task).second) {
        waiting.push_back(exit->task);
        continue;
      }
      finish(row, *exit);
      ++done;
      if (row.status == "failed") ++failed;
    }
    if (interrupt.interrupted() && !passed_on) {
      pool.signal_all(SIGINT);
      passed_on = true;
    }
  }
  for (SweepRow& row : rows)
    if (row.status == "not run") read_result(row);
  if (interrupt.interrupted()) return interrupted;
  return failed > 0 ? simulation_failed : ok;
}

}  // namespace orrery::cli
