// What equal links carried: the picture of a network that is full in one part.
#pragma once

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `equal_nodes` and `equal_links`, if few enough nodes are different.
// REQUIRES: result.finish is known.
void add_equal_parts(RunResult& result, const FinishedRun& run);

}  // namespace orrery
