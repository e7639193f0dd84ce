// The stage of a pipeline that the others wait for. The stage that finishes last need not be it:
// the norm of the gradients ends all stages together, and the one with the longest step after it,
// like that of an embedding, is last whatever it waited for before.
#pragma once

#include "simulation/run_result.h"

namespace orrery {

// The stage with the least bubble; of equal ones the one that finishes last, or the first. Null if
// the result is not that of a training.
const StageRow* critical_stage(const RunResult& result);

// How many times as long as the mean of the other stages that one computes in its passes; 1 if
// there is no other, or they compute nothing.
double unevenness(const RunResult& result);

}  // namespace orrery
