// A line of `orrery batch`: an experiment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/yaml/load_experiment.h"

namespace orrery::cli {

// `line` is JSON: an experiment as a map, or the path of its file as a string, or
// {"experiment": MAP or PATH, "set": {KEY: VALUE}}. `common` are overrides of all lines, before
// those of the line. Paths in it are relative to the working directory. Throws as
// load_experiment(); mistakes in the text of the line have its number and no file.
Experiment load_batch_line(std::int64_t number, const std::string& line,
                           const std::vector<Override>& common);

}  // namespace orrery::cli
