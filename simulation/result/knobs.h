// Which setting would make a part of a run's time shorter.
#pragma once

#include <string>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// A clause that follows a colon: "more bandwidth on fabric, or less data in ..."; "" if nothing
// does. REQUIRES: part.bound_by is set.
std::string knob_of(const TimePart& part, const Experiment& experiment);

}  // namespace orrery
