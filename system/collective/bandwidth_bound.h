// The least time a collective can take: the bytes that must leave or reach the busiest rank on each
// level, at the full bandwidth of its ports there, without latency.
//
//   all_reduce 2(n-1)/n S; broadcast, reduce S; barrier 0; the others (n-1)/n S; per phase, S being
//   the phase's buffer
//
// These are lower bounds of any algorithm without in-network reduction: E. Chan et al., "Collective
// communication: theory, practice, and experience", CCPE 19(13), 2007.
#pragma once

#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"
#include "system/collective/group.h"
#include "system/collective/phases.h"

namespace orrery {

Duration bandwidth_bound(Bytes size, const std::vector<Phase>& phases, const GroupFamily& family,
                         const Topology& topology);

}  // namespace orrery
