// A run that has ended -> the rows that every report is made of.
#pragma once

#include <string>
#include <vector>

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// All but what sinks of single messages saw, and whether the run is partial.
RunResult collect_result(const FinishedRun& run);

// Names of the communicators, with the levels that they span: "communicator 1 (node, fabric)".
std::vector<std::string> group_names(const Job& job, const Topology& topology);

}  // namespace orrery
