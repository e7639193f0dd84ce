// Where the difference between a simulated and a measured iteration could lie.
#pragma once

#include <string>

#include "simulation/run_result.h"

namespace orrery {

// How far off the run is, and for each part of its time how much longer or shorter this part alone
// would have to be to explain that. A part that cannot (it would have to vanish) says so.
// REQUIRES: the run is complete, measured > 0.
std::string measured_text(const RunResult& result, Duration measured);

}  // namespace orrery
