// What the user wrote, in a file or on the command line, and what was filled in.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "simulation/experiment.h"

namespace orrery {

inline bool is_written(const ResolvedValue& value) {
  return value.origin == "--set" || value.origin.find(':') != std::string::npos;
}

// Whether a key whose path ends so is written: "training.data".
inline bool is_written(const Experiment& experiment, std::string_view key) {
  return std::ranges::any_of(experiment.resolved, [&](const ResolvedValue& value) {
    return value.path.ends_with(key) && is_written(value);
  });
}

}  // namespace orrery
