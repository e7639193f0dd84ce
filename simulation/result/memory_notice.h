// Whether what an experiment trains fits into its devices' memory.
#pragma once

#include <string>
#include <vector>

#include "simulation/experiment.h"

namespace orrery {

// What an allocator has then: what is allocated, and `fragmentation` of it besides.
Bytes reserved_for(Bytes allocated, Share fragmentation);

// A sentence for each job of which a stage needs more than platform.npu.memory less its reserve, or
// an allocator would reserve more: the fullest stage, what it keeps, and which setting takes least
// to change. Only of transformers; empty if the memory is not known.
std::vector<std::string> memory_notices(const Experiment& experiment);

}  // namespace orrery
