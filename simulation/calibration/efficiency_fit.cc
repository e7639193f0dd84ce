#include "simulation/calibration/efficiency_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

#include "core/base/check.h"

namespace orrery {

namespace {

constexpr std::array keys{
    EfficiencyKey{"matrix", &EfficiencySpec::matrix, nullptr},
    EfficiencyKey{"attention", &EfficiencySpec::attention, nullptr},
    EfficiencyKey{"memory", &EfficiencySpec::memory, nullptr},
    EfficiencyKey{"launch", nullptr, &EfficiencySpec::launch},
    EfficiencyKey{"issue", nullptr, &EfficiencySpec::issue},
};

}  // namespace

double EfficiencyKey::value(const EfficiencySpec& spec) const {
  if (time != nullptr) return static_cast<double>((spec.*time).value) * 1e-12;
  const Share& is = spec.*share;
  return static_cast<double>(is.part) / static_cast<double>(is.whole);
}

void EfficiencyKey::set(EfficiencySpec& spec, double value) const {
  if (time != nullptr) {
    spec.*time = Duration{std::llround(value * 1e12)};
  } else {
    spec.*share = {std::llround(value * Share::most_whole), Share::most_whole};
  }
}

double EfficiencyKey::rounded(double value) const {
  return time != nullptr ? std::round(value * 1e9) * 1e-9 : value;
}

std::span<const EfficiencyKey> efficiency_keys() { return keys; }

const EfficiencyKey* find_efficiency_key(std::string_view name) {
  const auto* found = std::ranges::find(keys, name, &EfficiencyKey::name);
  return found == keys.end() ? nullptr : found;
}

EfficiencyFit::EfficiencyFit(std::vector<TimedRun> runs, std::vector<const EfficiencyKey*> fitted)
    : runs_(std::move(runs)), keys_(std::move(fitted)) {
  CHECK(!runs_.empty() && !keys_.empty(), "{} runs, {} keys", runs_.size(), keys_.size());
}

std::vector<CalibrationParameter> EfficiencyFit::parameters() const {
  constexpr double short_time = 1e-6;  // what costs nothing at the start has no logarithm
  std::vector<CalibrationParameter> parameters;
  for (const EfficiencyKey* key : keys_) {
    const double start = key->value(before());
    parameters.push_back(
        {std::string(key->name), start > 0 ? start : short_time, EfficiencyKey::highest});
  }
  return parameters;
}

EfficiencySpec EfficiencyFit::efficiency(std::span<const double> values) const {
  EfficiencySpec spec = before();
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i]->set(spec, values[i]);
  return spec;
}

// What the timed transformers say; nothing if there are none, or they differ.
template <class Value>
std::optional<Value> EfficiencyFit::said_by_all(Value TransformerTraining::*key) const {
  std::optional<Value> all;
  for (const TimedRun& run : runs_) {
    const auto* job = std::get_if<TransformerWorkload>(&run.experiment.workload.what);
    if (job == nullptr) continue;
    if (all && *all != job->training.*key) return std::nullopt;
    all = job->training.*key;
  }
  return all;
}

SoftwareKeys EfficiencyFit::software() const {
  return {said_by_all(&TransformerTraining::overlap_gradient_sums),
          said_by_all(&TransformerTraining::recompute_stops_early),
          said_by_all(&TransformerTraining::optimizer_traffic)};
}

std::vector<Experiment> EfficiencyFit::experiments(std::span<const double> values,
                                                   std::span<const std::size_t> rows) const {
  std::vector<Experiment> experiments;
  for (const std::size_t row : rows) {
    experiments.push_back(runs_[row].experiment);
    experiments.back().npu.efficiency = efficiency(values);
  }
  return experiments;
}

}  // namespace orrery
