// What a pipeline adds to a file that holds one of its stages, in closed form.
#pragma once

#include <string>
#include <vector>

#include "network/topology/topology.h"
#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// REQUIRES: the result has its ranks.
std::vector<std::string> stage_notices(const RunResult& result, const Experiment& experiment,
                                       const Topology& topology);

}  // namespace orrery
