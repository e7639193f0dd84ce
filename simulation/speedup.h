// How much faster or slower an iteration would be elsewhere, from a profile of one run:
//
//   speed-up = (r_comp + r_comm) / (r_comp + r_comm / eff)
//
// with the shares of computing (and all else) and of exposed communication, and the efficiency of
// the network there relative to here: what a collective of that size reaches there over what it
// reaches here, alone, each collective for itself. S. Cheng et al., "Thorough Characterization and
// Analysis of Large Transformer Model Training At-Scale", POMACS 8(1), 2024.
//
// What computing hides is taken to stay hidden, and what ranks compute to stay the same: another
// network, or more replicas of the same work.
#pragma once

#include <optional>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// Nothing if the profile does not say it: jobs other than data-parallel training, whose collectives
// join all ranks; ranks that compute something else there. Simulates the profile's collectives.
// REQUIRES: `profile` is the complete result of `here`.
std::optional<double> predicted_speedup(const Experiment& here, const RunResult& profile,
                                        const Experiment& there);

}  // namespace orrery
