// Which setting would make a part of a run's time shorter.
#pragma once

#include <string>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// A clause that follows a colon: "more bandwidth on fabric, or a smaller training.tensor"; "" if
// nothing does. `taper`: of the part's level, what a port takes over what it gets while all send.
// `losses`: of the run.
// REQUIRES: part.bound_by is set.
std::string knob_of(const TimePart& part, const Experiment& experiment, double taper,
                    const LossRow& losses);

// Whether training.overlap_experts may be written beside the other settings, and is not.
bool may_overlap_experts(const Experiment& experiment);

}  // namespace orrery
