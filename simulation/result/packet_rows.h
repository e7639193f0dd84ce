// What a backend with packets counted.
#pragma once

#include "simulation/result/finished_run.h"
#include "simulation/run_result.h"

namespace orrery {

// Fills `packets`, and adds what to notice about them.
void add_packets(RunResult& result, const FinishedRun& run, const PacketStatistics& packets);

}  // namespace orrery
