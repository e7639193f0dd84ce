// The parts of a run's time (simulation/time_part.h), from what its ranks accounted for.
#pragma once

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `why`, the longest part first; before it only binding_part(), or a full link that others of
// its kind wait for. REQUIRES: the run is finished; all rows but `why` and the notices are filled.
void add_time_parts(RunResult& result, const FinishedRun& run, Rank last);

}  // namespace orrery
