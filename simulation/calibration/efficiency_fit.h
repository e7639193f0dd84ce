// The efficiency of a device, fitted to iterations that were timed: the keys that can be fitted,
// the runs, and what the fit says.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "simulation/calibration/calibrate.h"
#include "simulation/experiment.h"
#include "system/compute/roofline.h"

namespace orrery {

// A key of platform.npu.efficiency, as a number: a share, or seconds.
struct EfficiencyKey {
  std::string_view name;
  Share EfficiencySpec::*share;    // or
  Duration EfficiencySpec::*time;  // nullptr: it is a share

  static constexpr double highest = 1;  // 100 %, or a second

  double value(const EfficiencySpec& spec) const;
  void set(EfficiencySpec& spec, double value) const;
  // To whole nanoseconds; a share has millionths.
  double rounded(double value) const;
};

std::span<const EfficiencyKey> efficiency_keys();
const EfficiencyKey* find_efficiency_key(std::string_view name);

// What the software does beside computing; nothing where no transformer was timed or they differ.
struct SoftwareKeys {
  std::optional<bool> overlap_gradient_sums, recompute_stops_early;
  std::optional<Bytes> optimizer_traffic;
};

struct TimedRun {
  std::string name;       // for reports
  Duration measured;      // > 0
  Experiment experiment;  // with the efficiency that is in force before the fit
};

class EfficiencyFit {
 public:
  // REQUIRES: at least one run and one key; the efficiency in force is the same in all runs.
  EfficiencyFit(std::vector<TimedRun> runs, std::vector<const EfficiencyKey*> keys);

  const std::vector<TimedRun>& runs() const { return runs_; }
  const std::vector<const EfficiencyKey*>& keys() const { return keys_; }
  // One for each key.
  std::vector<CalibrationParameter> parameters() const;
  const EfficiencySpec& before() const { return runs_.front().experiment.npu.efficiency; }
  EfficiencySpec efficiency(std::span<const double> values) const;
  SoftwareKeys software() const;

  // These runs with these values of the keys, to be simulated.
  std::vector<Experiment> experiments(std::span<const double> values,
                                      std::span<const std::size_t> rows) const;

 private:
  template <class Value>
  std::optional<Value> said_by_all(Value TransformerTraining::*key) const;

  std::vector<TimedRun> runs_;
  std::vector<const EfficiencyKey*> keys_;
};

}  // namespace orrery
