// Keys of the user that changed nothing in a run.
#pragma once

#include <string>
#include <vector>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// Rates of the device beside work whose times are recorded or written (timed_work.h), and
// algorithms for all collectives that suit none of those that are called. A platform may serve
// other workloads too: of the rates only those of the command line, and of the workload's own file.
std::vector<std::string> unused_key_notices(const RunResult& result, const Experiment& experiment);

}  // namespace orrery
