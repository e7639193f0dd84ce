// The kinds of collectives that a workload may call.
#pragma once

#include <set>

#include "system/collective_algorithm.h"
#include "workload/workload_spec.h"

namespace orrery {

// As far as the workload says so by itself: nothing of a table of layers.
std::set<Collective> called_kinds(const WorkloadSpec& workload);

}  // namespace orrery
