// Algorithms that are named for all collectives (system.algorithms), against the collectives that a
// workload calls. Kinds that cannot use them have their defaults instead, and the resolved
// configuration says why (ResolvedValue::origin): a job without others does not use the names.
#pragma once

#include <string>
#include <vector>

#include "core/base/spec_problem.h"
#include "simulation/experiment.h"

namespace orrery {

// The key system.algorithms, where none of the kinds that are called can do it.
SpecProblems problems_of_names(const Experiment& experiment);

// A sentence, where some can, but it suits none: capability.h. Empty otherwise.
std::vector<std::string> notices_of_names(const Experiment& experiment);

}  // namespace orrery
