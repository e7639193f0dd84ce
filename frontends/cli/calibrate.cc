#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "core/base/quoted.h"
#include "execution/fit_efficiency.h"
#include "formats/measured/measured_runs.h"
#include "frontends/cli/commands.h"
#include "report/calibration_report.h"
#include "report/result_folder.h"

namespace orrery::cli {

namespace {

std::vector<const EfficiencyKey*> keys_named(const std::vector<std::string>& names) {
  std::vector<const EfficiencyKey*> keys;
  for (const std::string& name : names) {
    keys.push_back(find_efficiency_key(name));
    if (keys.back() == nullptr)
      throw ConfigError({.path = "--free",
                         .what = in_quotes(name) + " is no parameter",
                         .remedy = "parameters are matrix, attention, memory, launch and issue"});
  }
  return keys;
}

Experiment experiment_with(const MeasuredRun& run, const CalibrateOptions& options) {
  std::vector<Override> overrides;
  if (!options.npu.empty()) overrides.push_back({"platform.npu.preset=" + options.npu, "--npu"});
  if (!options.from.empty())
    overrides.push_back({"platform.npu.efficiency={preset: " + options.from + "}", "--from"});
  for (const MeasuredSetting& setting : run.settings)
    overrides.push_back({fmt::format("{}={}", setting.key, setting.value), setting.place});
  return load_experiment(run.experiment, overrides);
}

// One file is written, so what is not fitted must be the same for all.
void refuse_another_efficiency(const Experiment& first, int first_line, const Experiment& other,
                               int line, const CalibrateOptions& options) {
  const auto text_of = [](const Experiment& experiment) {
    return efficiency_keys_text(experiment.npu.efficiency, {});
  };
  if (text_of(first) == text_of(other)) return;
  const auto name_of = [](const Experiment& experiment) {
    const std::string& name = experiment.npu.efficiency_in_force.name;
    return name.empty() ? std::string("the file's own") : name;
  };
  throw ConfigError(
      {.file = options.file,
       .line = line,
       .what = fmt::format("the efficiency in force is {}, but {} for line {}", name_of(other),
                           name_of(first), first_line),
       .remedy = "one efficiency is fitted to all runs: name it with --from, or calibrate these "
                 "runs apart"});
}

std::vector<TimedRun> runs_of(const CalibrateOptions& options) {
  const std::vector<MeasuredRun> measured = read_measured_runs(options.file);
  std::vector<TimedRun> runs;
  for (const MeasuredRun& run : measured) {
    runs.push_back({run.name, run.time, experiment_with(run, options)});
    refuse_another_efficiency(runs.front().experiment, measured.front().line,
                              runs.back().experiment, run.line, options);
  }
  return runs;
}

}  // namespace

ExitCode calibrate(const CalibrateOptions& options, const Terminal& terminal) {
  if (!options.output.empty() && !options.force && std::filesystem::exists(options.output))
    throw ConfigError({.file = options.output,
                       .what = "the file is there",
                       .remedy = "name another one, or add --force"});
  std::vector<TimedRun> runs = runs_of(options);
  const EfficiencyFit fit(std::move(runs), keys_named(options.free));
  const FitOutcome found = fit_efficiency(fit, terminal);
  if (found.exit_code != ok) return found.exit_code;
  for (const std::string& sentence : undetermined_parameters(fit, found.calibration))
    log::write(log::Level::notice, log::Room::frontends, sentence);
  terminal.out << calibration_text(fit, found.calibration);
  if (options.output.empty()) return ok;
  write_whole_file(options.output,
                   efficiency_file_text(fit, found.calibration,
                                        std::filesystem::path(options.file).filename().string()));
  terminal.out << fmt::format(
      "written to {}; use it with platform.npu.efficiency: {{preset: {}}}\n", options.output,
      options.output);
  return ok;
}

}  // namespace orrery::cli
