// Whether what an experiment trains fits into its devices' memory.
#pragma once

#include <string>
#include <vector>

#include "simulation/experiment.h"

namespace orrery {

// A sentence for each job of which a stage needs more than platform.npu.memory less its reserve:
// the fullest stage, what it keeps, and which setting takes least to change. Only of transformers;
// empty if the memory is not known.
std::vector<std::string> memory_notices(const Experiment& experiment);

}  // namespace orrery
