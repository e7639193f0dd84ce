#include "report/calibration_report.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "core/base/share_text.h"
#include "core/units/unit_text.h"
#include "report/text_table.h"

namespace orrery {

namespace {

std::string text_of(const EfficiencyKey& key, double value) {
  return key.time != nullptr ? fmt::format("{:.2f} us", value * 1e6)
                             : fmt::format("{:.2f} %", value * 100);
}

double error_of(double residual) { return std::exp(residual) - 1; }

std::string percent(std::optional<double> residual) {
  return residual ? fmt::format("{:+.1f} %", 100 * error_of(*residual)) : "-";
}

struct MeanErrors {
  double fitted = 0;
  std::optional<double> left_out;  // of the rows that have one
};

MeanErrors mean_errors(const Calibration& found) {
  MeanErrors mean;
  double left_out = 0;
  int count = 0;
  for (std::size_t row = 0; row < found.residuals.size(); ++row) {
    mean.fitted += std::abs(error_of(found.residuals[row]));
    if (!found.left_out[row]) continue;
    left_out += std::abs(error_of(*found.left_out[row]));
    ++count;
  }
  mean.fitted /= static_cast<double>(found.residuals.size());
  if (count > 0) mean.left_out = left_out / count;
  return mean;
}

std::string mean_text(const Calibration& found) {
  const MeanErrors mean = mean_errors(found);
  return fmt::format(
      "mean error {:.1f} %{}", 100 * mean.fitted,
      mean.left_out ? fmt::format(", of rows left out one by one {:.1f} %", 100 * *mean.left_out)
                    : ", and too few rows to leave one out");
}

std::string parameters_text(const EfficiencyFit& fit, const Calibration& found) {
  using enum TextTable::Align;
  TextTable table({{"parameter", left}, {"before"}, {"fitted"}, {"standard\nerror"}, {"", left}});
  const std::vector<CalibrationParameter> before = fit.parameters();
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const FittedParameter& parameter = found.parameters[i];
    const EfficiencyKey& key = *fit.keys()[i];
    table.add_row(
        {parameter.name, text_of(key, before[i].start),
         parameter.determined ? text_of(key, parameter.value) : "-",
         parameter.determined ? fmt::format("{:.1f} %", 100 * parameter.relative_error) : "-",
         parameter.determined ? "" : "not determined"});
  }
  return table.text();
}

std::string runs_text(const EfficiencyFit& fit, const Calibration& found) {
  using enum TextTable::Align;
  TextTable table({{"run", left}, {"measured"}, {"simulated"}, {"error"}, {"left out"}});
  for (std::size_t row = 0; row < fit.runs().size(); ++row) {
    const TimedRun& run = fit.runs()[row];
    const auto simulated = static_cast<double>(run.measured.value) * std::exp(found.residuals[row]);
    table.add_row({run.name, to_text(run.measured), to_text(Duration{std::llround(simulated)}),
                   percent(found.residuals[row]), percent(found.left_out[row])});
  }
  return table.text();
}

}  // namespace

std::string calibration_text(const EfficiencyFit& fit, const Calibration& found) {
  return fmt::format("{}\n{}\n{}\n", parameters_text(fit, found), runs_text(fit, found),
                     mean_text(found));
}

std::vector<std::string> undetermined_parameters(const EfficiencyFit& fit,
                                                 const Calibration& found) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const FittedParameter& parameter = found.parameters[i];
    if (parameter.determined) continue;
    const std::string why =
        parameter.exchangeable_with.empty()
            ? "it hardly changes these times"
            : fmt::format("{} does the same to these times", parameter.exchangeable_with);
    sentences.push_back(
        fmt::format("{} is not determined by these rows, because {}: it stays at {}; time runs in "
                    "which its share of the time differs, or leave it out of --free",
                    parameter.name, why, text_of(*fit.keys()[i], parameter.value)));
  }
  return sentences;
}

std::string efficiency_keys_text(const EfficiencySpec& efficiency, const SoftwareKeys& software) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  add("matrix", share_text(efficiency.matrix));
  add("attention", share_text(efficiency.attention));
  if (efficiency.attention_half_length > 0)
    add("attention_half_length", fmt::format("{}", efficiency.attention_half_length));
  add("memory", share_text(efficiency.memory));
  if (efficiency.spread.part > 0) add("spread", share_text(efficiency.spread));
  if (efficiency.launch > Duration{}) add("launch", exact_text(efficiency.launch));
  if (efficiency.issue > Duration{}) add("issue", exact_text(efficiency.issue));
  if (efficiency.results) add("results", exact_text(*efficiency.results));
  if (software.overlap_gradient_sums)
    add("overlap_gradient_sums", *software.overlap_gradient_sums ? "true" : "false");
  if (software.recompute_stops_early.value_or(false)) add("recompute_stops_early", "true");
  if (software.optimizer_traffic != TransformerTraining{}.optimizer_traffic &&
      software.optimizer_traffic)
    add("optimizer_traffic", exact_text(*software.optimizer_traffic));
  if (efficiency.products.empty()) return text;
  text += "products:\n";
  for (const TimedProduct& product : efficiency.products)
    text += fmt::format("  - {{rows: {}, columns: {}, depth: {}, time: {}}}\n", product.shape.rows,
                        product.shape.columns, product.shape.depth, exact_text(product.time));
  return text;
}

std::string efficiency_file_text(const EfficiencyFit& fit, const Calibration& found,
                                 std::string_view runs_file) {
  std::string fitted;
  std::vector<double> values;
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const FittedParameter& parameter = found.parameters[i];
    values.push_back(fit.keys()[i]->rounded(parameter.value));
    if (parameter.determined) fitted += (fitted.empty() ? "" : ", ") + parameter.name;
  }
  std::string text = fmt::format(
      "description: \"{} run{} of {}\"\n# Written by orrery calibrate. Fitted: {}; {}.\n",
      fit.runs().size(), fit.runs().size() == 1 ? "" : "s", runs_file,
      fitted.empty() ? "nothing" : fitted, mean_text(found));
  const std::string& before = fit.runs().front().experiment.npu.efficiency_in_force.name;
  if (!before.empty()) text += fmt::format("# The rest is of {}.\n", before);
  return text + efficiency_keys_text(fit.efficiency(values), fit.software());
}

}  // namespace orrery
