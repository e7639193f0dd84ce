// YAML file -> Experiment. The only room that includes yaml-cpp.
#pragma once

#include <string>
#include <vector>

#include "frontends/experiment.h"

namespace orrery {

// One `--set key=value`; the key is a dotted path, list elements by index:
// "platform.topology.levels.1.bandwidth=400 Gb/s" or "...levels[1].bandwidth=...".
struct Override {
  std::string text;
};

// Reads `path`, follows `file:` references (relative to the file that names them), applies the
// overrides in order and checks everything.
// Throws ConfigError with every problem found (at most 20), IoError if the file cannot be read.
Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides);

// The JSON Schema (draft 2020-12) of an experiment file, for editors: `orrery schema`.
std::string experiment_schema();

}  // namespace orrery
