#include "simulation/calibration/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "execution/simulations.h"
#include "frontends/calibration/efficiency_file.h"
#include "frontends/calibration/measured_runs.h"
#include "frontends/cli/commands.h"
#include "report/result_folder.h"
#include "report/text_table.h"
#include "report/wrapped_text.h"

namespace orrery::cli {

namespace {

// A key of platform.npu.efficiency, as a number: a share, or seconds.
struct EfficiencyKey {
  const char* name;
  Share EfficiencySpec::*share;
  Duration EfficiencySpec::*time;

  double value(const EfficiencySpec& spec) const {
    if (time != nullptr) return static_cast<double>((spec.*time).value) * 1e-12;
    const Share& is = spec.*share;
    return static_cast<double>(is.part) / static_cast<double>(is.whole);
  }
  void set(EfficiencySpec& spec, double value) const {
    if (time != nullptr) {
      spec.*time = Duration{std::llround(value * 1e12)};
    } else {
      spec.*share = {std::llround(value * Share::most_whole), Share::most_whole};
    }
  }
  // To whole nanoseconds; a share has millionths.
  double rounded(double value) const {
    return time != nullptr ? std::round(value * 1e9) * 1e-9 : value;
  }
  static constexpr double highest = 1;  // 100 %, or a second
  std::string text(double value) const {
    return time != nullptr ? fmt::format("{:.2f} us", value * 1e6)
                           : fmt::format("{:.2f} %", value * 100);
  }
};
constexpr std::array efficiency_keys{
    EfficiencyKey{"matrix", &EfficiencySpec::matrix, nullptr},
    EfficiencyKey{"attention", &EfficiencySpec::attention, nullptr},
    EfficiencyKey{"memory", &EfficiencySpec::memory, nullptr},
    EfficiencyKey{"launch", nullptr, &EfficiencySpec::launch},
    EfficiencyKey{"issue", nullptr, &EfficiencySpec::issue},
};

const EfficiencyKey& key_named(const std::string& name) {
  const auto* found = std::ranges::find_if(
      efficiency_keys, [&](const EfficiencyKey& key) { return key.name == name; });
  if (found == efficiency_keys.end())
    throw ConfigError({.path = "--free",
                       .what = in_quotes(name) + " is no parameter",
                       .remedy = "parameters are matrix, attention, memory, launch and issue"});
  return *found;
}

// A simulation that failed: nothing can be fitted.
struct Failed {
  ExitCode exit_code;
};

class Rows {
 public:
  Rows(const CalibrateOptions& options, const Terminal& terminal)
      : runs_(read_measured_runs(options.file)), terminal_(terminal) {
    for (const MeasuredRun& run : runs_) {
      std::vector<Override> overrides;
      if (!options.npu.empty())
        overrides.push_back({"platform.npu.preset=" + options.npu, "--npu"});
      if (!options.from.empty())
        overrides.push_back({"platform.npu.efficiency={preset: " + options.from + "}", "--from"});
      overrides.insert(overrides.end(), run.overrides.begin(), run.overrides.end());
      experiments_.push_back(load_experiment(run.experiment, overrides));
      refuse_another_efficiency(run, options);
    }
    for (const std::string& name : options.free) {
      keys_.push_back(&key_named(name));
      const double start = keys_.back()->value(start_efficiency());
      // What costs nothing at the start has no logarithm.
      constexpr double short_time = 1e-6;
      parameters_.push_back({name, start > 0 ? start : short_time, EfficiencyKey::highest});
    }
  }

  const std::vector<MeasuredRun>& runs() const { return runs_; }
  const std::vector<CalibrationParameter>& parameters() const { return parameters_; }
  const EfficiencyKey& key(std::size_t i) const { return *keys_[i]; }
  const EfficiencySpec& start_efficiency() const { return experiments_.front().npu.efficiency; }
  const std::string& start_name() const {
    return experiments_.front().npu.efficiency_in_force.name;
  }

  SoftwareKeys software() const {
    return {said_by_all(&TransformerTraining::overlap_gradient_sums),
            said_by_all(&TransformerTraining::recompute_stops_early)};
  }

  EfficiencySpec efficiency(std::span<const double> values) const {
    EfficiencySpec spec = start_efficiency();
    for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i]->set(spec, values[i]);
    return spec;
  }

  std::vector<double> residuals(std::span<const double> values,
                                std::span<const std::size_t> rows) const {
    std::vector<Experiment> experiments;
    for (const std::size_t row : rows) {
      experiments.push_back(experiments_[row]);
      experiments.back().npu.efficiency = efficiency(values);
    }
    const std::vector<Outcome> outcomes = simulate_all(experiments, terminal_);
    std::vector<double> found;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].failure.exit_code != ExitCode::ok) {
        print_remarks(outcomes);
        throw Failed{outcomes[i].failure.exit_code};
      }
      const double simulated = static_cast<double>(iteration_time(*outcomes[i].result)->value);
      found.push_back(std::log(simulated / static_cast<double>(runs_[rows[i]].time.value)));
    }
    return found;
  }

 private:
  // One file is written, so what is not fitted must be the same for all.
  void refuse_another_efficiency(const MeasuredRun& run, const CalibrateOptions& options) const {
    const auto text_of = [](const Experiment& experiment) {
      return efficiency_keys_text(experiment.npu.efficiency, {});
    };
    const Experiment &first = experiments_.front(), &last = experiments_.back();
    if (text_of(first) == text_of(last)) return;
    const auto name_of = [](const Experiment& experiment) {
      const std::string& name = experiment.npu.efficiency_in_force.name;
      return name.empty() ? std::string("the file's own") : name;
    };
    throw ConfigError(
        {.file = options.file,
         .line = run.line,
         .what = fmt::format("the efficiency in force is {}, but {} for line {}", name_of(last),
                             name_of(first), runs_.front().line),
         .remedy = "one efficiency is fitted to all runs: name it with --from, or calibrate these "
                   "runs apart"});
  }

  // What the timed transformers do; nothing if there are none, or some do and some do not.
  std::optional<bool> said_by_all(bool TransformerTraining::*key) const {
    std::optional<bool> all;
    for (const Experiment& experiment : experiments_) {
      const auto* job = std::get_if<TransformerWorkload>(&experiment.workload.what);
      if (job == nullptr) continue;
      if (all && *all != job->training.*key) return std::nullopt;
      all = job->training.*key;
    }
    return all;
  }

  std::vector<MeasuredRun> runs_;
  const Terminal& terminal_;
  std::vector<Experiment> experiments_;
  std::vector<const EfficiencyKey*> keys_;
  std::vector<CalibrationParameter> parameters_;
};

double error_of(double residual) { return std::exp(residual) - 1; }

std::string percent(std::optional<double> residual) {
  return residual ? fmt::format("{:+.1f} %", 100 * error_of(*residual)) : "-";
}

struct MeanErrors {
  double fitted = 0;
  std::optional<double> left_out;  // of the rows that have one
};

MeanErrors mean_errors(const Calibration& fit) {
  MeanErrors mean;
  double left_out = 0;
  int count = 0;
  for (std::size_t row = 0; row < fit.residuals.size(); ++row) {
    mean.fitted += std::abs(error_of(fit.residuals[row]));
    if (!fit.left_out[row]) continue;
    left_out += std::abs(error_of(*fit.left_out[row]));
    ++count;
  }
  mean.fitted /= static_cast<double>(fit.residuals.size());
  if (count > 0) mean.left_out = left_out / count;
  return mean;
}

std::string mean_text(const Calibration& fit) {
  const MeanErrors mean = mean_errors(fit);
  return fmt::format(
      "mean error {:.1f} %{}", 100 * mean.fitted,
      mean.left_out ? fmt::format(", of rows left out one by one {:.1f} %", 100 * *mean.left_out)
                    : ", and too few rows to leave one out");
}

std::string parameters_text(const Rows& rows, const Calibration& fit) {
  using enum TextTable::Align;
  TextTable table({{"parameter", left}, {"before"}, {"fitted"}, {"standard\nerror"}, {"", left}});
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const FittedParameter& parameter = fit.parameters[i];
    const EfficiencyKey& key = rows.key(i);
    table.add_row(
        {parameter.name, key.text(rows.parameters()[i].start),
         parameter.determined ? key.text(parameter.value) : "-",
         parameter.determined ? fmt::format("{:.1f} %", 100 * parameter.relative_error) : "-",
         parameter.determined ? "" : "not determined"});
  }
  return table.text();
}

std::string rows_text(const Rows& rows, const Calibration& fit) {
  using enum TextTable::Align;
  TextTable table({{"run", left}, {"measured"}, {"simulated"}, {"error"}, {"left out"}});
  for (std::size_t row = 0; row < rows.runs().size(); ++row) {
    const MeasuredRun& run = rows.runs()[row];
    const auto simulated = static_cast<double>(run.time.value) * std::exp(fit.residuals[row]);
    table.add_row({run.name, to_text(run.time), to_text(Duration{std::llround(simulated)}),
                   percent(fit.residuals[row]), percent(fit.left_out[row])});
  }
  return table.text();
}

void warn(const Rows& rows, const Calibration& fit) {
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const FittedParameter& parameter = fit.parameters[i];
    if (parameter.determined) continue;
    const std::string why =
        parameter.exchangeable_with.empty()
            ? "it hardly changes these times"
            : fmt::format("{} does the same to these times", parameter.exchangeable_with);
    log::write(log::Level::notice, log::Room::frontends,
               fmt::format("{} is not determined by these rows, because {}: it stays at {}; time "
                           "runs in which its share of the time differs, or leave it out of --free",
                           parameter.name, why, rows.key(i).text(parameter.value)));
  }
}

std::string file_text(const CalibrateOptions& options, const Rows& rows, const Calibration& fit) {
  std::string fitted;
  std::vector<double> values;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const FittedParameter& parameter = fit.parameters[i];
    values.push_back(rows.key(i).rounded(parameter.value));
    if (parameter.determined) fitted += (fitted.empty() ? "" : ", ") + parameter.name;
  }
  std::string text = fmt::format(
      "description: \"{} run{} of {}\"\n# Written by orrery calibrate. Fitted: {}; {}.\n",
      rows.runs().size(), rows.runs().size() == 1 ? "" : "s",
      std::filesystem::path(options.file).filename().string(), fitted.empty() ? "nothing" : fitted,
      mean_text(fit));
  if (!rows.start_name().empty()) text += fmt::format("# The rest is of {}.\n", rows.start_name());
  return text + efficiency_keys_text(rows.efficiency(values), rows.software());
}

}  // namespace

ExitCode calibrate(const CalibrateOptions& options, const Terminal& terminal) {
  if (!options.output.empty() && !options.force && std::filesystem::exists(options.output))
    throw ConfigError({.file = options.output,
                       .what = "the file is there",
                       .remedy = "name another one, or add --force"});
  const Rows rows(options, terminal);
  Calibration fit;
  try {
    fit = orrery::calibrate(rows.parameters(), rows.runs().size(),
                            [&](std::span<const double> values, std::span<const std::size_t> of) {
                              return rows.residuals(values, of);
                            });
  } catch (const Failed& failed) {
    return failed.exit_code;
  }
  warn(rows, fit);
  terminal.out << parameters_text(rows, fit) << '\n'
               << rows_text(rows, fit) << '\n'
               << mean_text(fit) << '\n';
  if (options.output.empty()) return ok;
  write_whole_file(options.output, file_text(options, rows, fit));
  terminal.out << fmt::format(
      "written to {}; use it with platform.npu.efficiency: {{preset: {}}}\n", options.output,
      options.output);
  return ok;
}

}  // namespace orrery::cli
