// A grid of experiments as plain data: which files, which keys take which values.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "simulation/sweep_condition.h"

namespace orrery {

struct SweepSetting {
  std::string key;    // "system.all_reduce.chunks"
  std::string value;  // as `--set` takes it: "64", "[direct, ring]"
  std::string place;  // where it stands, for messages: "study.yaml:9"
  bool operator==(const SweepSetting&) const = default;
};

// One direction of the grid: at its i-th step, all settings of steps[i] hold together.
struct SweepAxis {
  std::vector<std::vector<SweepSetting>> steps;  // each names the same keys in the same order
};

struct Sweep {
  std::string name;
  std::vector<std::string> experiments;  // files
  std::vector<SweepSetting> common;      // hold at every point
  std::vector<SweepAxis> axes;
  std::vector<SweepCondition> where = {};  // points for which one does not hold are left out
  std::vector<std::string> metrics = {};   // further numbers of results that tables show, as paths
};

struct SweepPoint {
  std::string experiment;
  std::vector<SweepSetting> varied;    // one value for each key of each axis
  std::vector<SweepSetting> settings;  // what `--set` gets: the common ones, then the varied ones
};

// Every combination that is wanted, or the first `most` of them; the experiments change slowest,
// the last axis fastest. Throws SweepConditionError if a condition cannot be applied.
std::vector<SweepPoint> points_of(const Sweep& sweep,
                                  std::size_t most = std::numeric_limits<std::size_t>::max());

// How many there are: without a condition it is arithmetic.
std::size_t count_points(const Sweep& sweep);
std::size_t count_combinations(const Sweep& sweep);  // before conditions; REQUIRES: fits

// A folder name that people can read and that stands for what is simulated. `identity`: of the
// resolved configuration, its data files and the program. It does not change when the grid grows,
// so that what has been simulated stays valid.
std::string folder_name(const SweepPoint& point, const std::string& identity);

}  // namespace orrery
