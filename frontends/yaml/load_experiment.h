// YAML file -> Experiment. The only room that includes yaml-cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/input/input_texts.h"
#include "simulation/experiment.h"

namespace orrery {

// One `--set key=value`; the key is a dotted path, list elements by index:
// "platform.topology.levels.1.bandwidth=400 Gb/s" or "...levels[1].bandwidth=...".
struct Override {
  std::string text;
  std::string shown = {};  // what messages call it; "" = "--set TEXT"
};

// Reads `path`, follows `file:` references (relative to the file that names them, or the name of
// a bundled platform), applies the overrides in order and checks everything.
// Throws ConfigError with every problem found (at most 20), IoError if the file cannot be read.
Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides);
// The same, of files that are read once: input_texts.h.
Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides,
                           InputTexts& texts);

// The same for what there is of an experiment without its workload, which is ignored if `platform`
// has one: a file, or the name of a bundled platform. With `ranks`, the platform is made smaller:
// so many NPUs, in whole groups of the inner levels; levels that are not needed are left out.
Experiment load_cluster(const std::string& platform, const std::vector<Override>& overrides,
                        std::optional<std::int32_t> ranks = std::nullopt);

// The sentence that a file of platforms/efficiency says of itself. Throws like load_experiment().
std::string describe_efficiency(const std::string& file);

}  // namespace orrery
