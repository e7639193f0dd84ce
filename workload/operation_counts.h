// How many operations a job writes down before it begins, from below: the lists of all programs
// are made for all iterations, so this says early what cannot fit into memory.
#pragma once

#include "workload/workload_spec.h"

namespace orrery {

// Of one iteration, over the programs of all stages, parts or jobs. A real number, because it may
// be beyond 2^63.
double operations_at_least(const TransformerWorkload& workload);
double operations_at_least(const WorkloadSpec& workload);

}  // namespace orrery
