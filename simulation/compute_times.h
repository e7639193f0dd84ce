// How long the work of an experiment's job takes on its devices, without a simulation.
#pragma once

#include <functional>

#include "core/units/units.h"
#include "simulation/experiment.h"
#include "system/job.h"

namespace orrery {

// Of an Operation that is a Compute. Jitter is in it; stragglers that come and go are as at the
// beginning of the run, and system.sm_tax takes nothing. REQUIRES: the job outlives it.
std::function<Duration(Rank, const Operation&)> compute_times(const Experiment& experiment,
                                                              const Job& job);

}  // namespace orrery
