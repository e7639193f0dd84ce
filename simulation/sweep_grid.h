// A grid of experiments as plain data: which files, which keys take which values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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
};

struct SweepPoint {
  std::string experiment;
  std::vector<SweepSetting> varied;    // one value for each key of each axis
  std::vector<SweepSetting> settings;  // what `--set` gets: the common ones, then the varied ones
};

// Every combination; the experiments change slowest, the last axis fastest.
std::vector<SweepPoint> points_of(const Sweep& sweep);

// A folder name that people can read and that no other point of any grid has: it does not change
// when the grid grows, so that what has been simulated stays valid.
std::string folder_name(const SweepPoint& point);

}  // namespace orrery
