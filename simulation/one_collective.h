// Experiments of one collective among all NPUs of a platform, as nccl-tests measures them.
#pragma once

#include <cstdint>
#include <string>

#include "core/units/units.h"
#include "simulation/experiment.h"
#include "system/collective_algorithm.h"

namespace orrery {

// Every rank waits for it. `skew`: in an all_to_allv, rank 0 receives so many times what each other
// rank does. The backend is chosen, unless the platform names one.
Experiment one_collective(const Experiment& platform, Collective kind, Bytes size,
                          std::int32_t skew);

// "ring"; "direct+ring" if the levels differ.
std::string algorithm_name(const CollectiveSpec& spec);

}  // namespace orrery
