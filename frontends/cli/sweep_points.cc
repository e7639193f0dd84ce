#include "frontends/cli/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "execution/failure.h"
#include "formats/input/input_texts.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/load_sweep.h"
#include "frontends/yaml/load_traffic.h"
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

namespace {

// It reads no file: `texts` has what was checked.
int simulate_point(const SweepRow& row, InputTexts& texts, const Invocation& program,
                   PointOutput output, std::ostream& json, std::ostream& messages) {
  const log::Session session({}, messages);
  try {
    const Terminal terminal{json, messages};
    const LoadedFile file = load_job_or_flows(row.point.experiment, overrides_of(row.point), texts);
    const auto fill = [&](auto options) {
      options.invocation = {program.version, program.commit, command_of(row)};
      if (output == PointOutput::folder) options.output = row.folder;
      options.force = true;
      options.format = Format::json;
      return options;
    };
    if (const auto* flows = std::get_if<TrafficExperiment>(&file))
      return traffic_loaded(*flows, fill(TrafficRunOptions()), terminal);
    return run_loaded(std::get<Experiment>(file), fill(SimulationOptions()), terminal);
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    log::write(log::Level::error, log::Room::frontends, failure.text);
    return failure.exit_code;
  }
}

// What is wrong with points: what many settings have is said once, of the first.
class PointProblems {
 public:
  void add(const ConfigError& error) {
    for (const Diagnostic& problem : error.diagnostics()) {
      if (!said_.insert(format_diagnostic(problem)).second) continue;
      const auto [known, is_new] =
          known_.try_emplace(problem.what + '\n' + problem.remedy, problems_.size());
      if (is_new)
        problems_.push_back({problem, 0});
      else
        ++problems_[known->second].others;
    }
  }

  void throw_if_any(bool others_are_right) const {
    if (problems_.empty()) return;
    std::vector<Diagnostic> problems;
    for (Problem problem : problems_) {
      if (problem.others > 0)
        problem.first.what += fmt::format(" (as in {} more settings)", problem.others);
      if (others_are_right) problem.first.remedy += "; or leave such points out with `where:`";
      problems.push_back(std::move(problem.first));
    }
    throw ConfigError(std::move(problems));
  }

 private:
  struct Problem {
    Diagnostic first;
    std::size_t others;
  };
  std::set<std::string> said_;  // a mistake in an experiment is one of all its points
  std::vector<Problem> problems_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

LoadedSweep loaded(const Sweep& sweep, std::vector<SweepPoint> points,
                   const SweepCommandOptions& options) {
  const auto texts = std::make_shared<InputTexts>();
  std::vector<SweepRow> rows;
  PointProblems problems;
  for (SweepPoint& point : points) {
    try {
      const LoadedFile file = load_job_or_flows(point.experiment, overrides_of(point), *texts);
      const auto* flows = std::get_if<TrafficExperiment>(&file);
      SweepRow row;
      row.has_flows = flows != nullptr;
      row.metrics = sweep.metrics;
      row.version = options.invocation.version;
      row.commit = options.invocation.commit;
      row.inputs = inputs_hash(flows != nullptr ? flows->experiment : std::get<Experiment>(file));
      row.folder = fs::path(options.output) / "points" /
                   folder_name(point, row.version + '\n' + row.commit + '\n' + row.inputs);
      row.status = "not run";
      row.point = std::move(point);
      rows.push_back(std::move(row));
    } catch (const ConfigError& error) {
      problems.add(error);
    }
  }
  problems.throw_if_any(!rows.empty());
  const auto simulate = [texts, program = options.invocation](
                            const SweepRow& row, PointOutput output, std::ostream& json,
                            std::ostream& messages) {
    return simulate_point(row, *texts, program, output, json, messages);
  };
  return {sweep.name, std::move(rows), simulate};
}

}  // namespace orrery::cli
