// Iterations that were timed, for `orrery calibrate`: a CSV file with a line of column names and a
// line for each run. `experiment` is a file, relative to the folder of the CSV file, `time` what an
// iteration took ("5.1 s"). Any other column is a key of the experiment, as of --set; an empty cell
// leaves it as it is. Cells with commas stand in double quotes. Lines that begin with # are
// skipped.
#pragma once

#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery {

// A cell of such a column.
struct MeasuredSetting {
  std::string key, value;
  std::string place;  // for messages: "column workload.iterations of runs.csv:3"
};

struct MeasuredRun {
  int line = 0;
  std::string experiment;  // path
  std::vector<MeasuredSetting> settings;
  std::string name;  // as the file has it: "a.yaml micro_batch=2"
  Duration time;     // > 0
};

// Throws IoError if the file cannot be read, ConfigError if it is not as above, or has no row.
std::vector<MeasuredRun> read_measured_runs(const std::string& path);

}  // namespace orrery
