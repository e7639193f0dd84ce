// A row for each layer, pass and iteration, and what exposed time is summed under.
#pragma once

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `layers` and `exposed_by`. Times are those of rank `last` where the row says no other.
void add_layers(RunResult& result, const FinishedRun& run, Rank last);

}  // namespace orrery
