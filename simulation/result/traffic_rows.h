// What the network carried: by level, by link, what held messages back, and the bound that follows.
#pragma once

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `messages`, `levels`, `links` and `packets`. REQUIRES: result.finish is known.
void add_traffic(RunResult& result, const FinishedRun& run);

// Of a link that carried so many bytes, 0 to 1: bytes over what it could carry until the finish.
double utilisation_of(const FinishedRun& run, LinkIndex link, TotalBytes bytes, Duration finish);

// For each kind of collective, the level that held back most of its bytes, and the link of it.
void add_bottlenecks(RunResult& result, const FinishedRun& run);

// The longest of: the computing of a rank; what a link carried, at its full bandwidth.
// REQUIRES: result.finish and result.ranks are known.
void add_bound(RunResult& result, const FinishedRun& run);

}  // namespace orrery
