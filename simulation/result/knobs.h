// Which setting would make a part of a run's time shorter.
#pragma once

#include <span>
#include <string>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// Whether another job runs for half of the time or more of the one that ends last, or no jobs are
// known.
bool another_job_runs(std::span<const JobRow> jobs);

// A clause that follows a colon: "more bandwidth on fabric, or a smaller training.tensor"; "" if
// nothing does. `taper`: of the part's level, what a port takes over what it gets while all send.
// `losses`: of the run. `jobs_at_once`: of several jobs another one runs while the part's does.
// `collides`: other links that lead the same way as the one that is full idle.
// REQUIRES: part.bound_by is set.
std::string knob_of(const TimePart& part, const Experiment& experiment, double taper,
                    const LossRow& losses, bool jobs_at_once = true, bool collides = false);

// What precedes that of a computing part where a stage computes a fifth longer than the others, if
// fewer stages gain a fiftieth by estimate: "training.pipeline: 2, data: 4 (...), or ". Else "".
std::string even_stages_first(const RunResult& result, const Experiment& experiment);

// Of packets that are sent again because others overtook them: takes_disorder_for_loss().
inline constexpr const char* recovery_of_disorder =
    "network.transport.recovery: selective_repeat, which does not take disorder for loss";

}  // namespace orrery
