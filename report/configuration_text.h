// The configuration of an experiment as it was read: what `orrery explain FILE` prints.
#pragma once

#include <string>

#include "simulation/experiment.h"

namespace orrery {

// Each key with its value, where that comes from and what it is; and what is in force of what was
// measured. `file`: what it was read from.
std::string configuration_text(const Experiment& experiment, const std::string& file);

}  // namespace orrery
