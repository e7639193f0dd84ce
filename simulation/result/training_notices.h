// Settings of a transformer's training that a framework would act on and that change nothing here,
// or something else than the user will have meant.
#pragma once

#include <string>
#include <vector>

#include "simulation/experiment.h"

namespace orrery {

// A sentence for each, with what to write instead.
std::vector<std::string> training_notices(const Experiment& experiment);

// The same of `system:`.
std::vector<std::string> system_notices(const SystemSpec& system);

}  // namespace orrery
