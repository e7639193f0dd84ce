// The chunks of a collective whose algorithms are named, followed through the levels as those of a
// choice are (chunk_line.h): where several levels lie behind one port, a simulation of each level
// taken out of its platform (prediction.h) lets them carry side by side.
#pragma once

#include <vector>

#include "system/rank/phase_cost.h"

namespace orrery {

// 0 where there is no closed form of an algorithm, where chunks take several orders of the levels,
// or all levels at once. `levels`: of the group, to which `named` gives an algorithm each.
Duration time_in_named_line(const Topology& topology, const SystemSpec& system, PhaseCosts& costs,
                            const CollectiveSpec& named, const std::vector<PhaseLevel>& levels,
                            Collective kind, Bytes size);

}  // namespace orrery
