// What algorithms that are named mean on a platform of several levels, where a name says less than
// a schedule needs to know.
//
// Without a schedule it is local_bandwidth_aware, if the algorithms can do its phases: the outer
// level then carries a part of the bytes, as in NCCL's rings, which enter and leave a node at each
// of its NICs. A single name that cannot do the phases of an inner level, as a tree cannot do a
// reduce-scatter, holds for the last level, and the others get what suits (capability.h): trees of
// nodes.
#pragma once

#include "network/topology/topology.h"
#include "system/system_spec.h"

namespace orrery {

// Whether the algorithms can do all phases of the kind under the spec's schedule. `spec` has names,
// one or as many as the schedule takes.
bool can_do(const CollectiveSpec& spec, Collective kind, const TopologySpec& topology);

// Fills in the algorithms of inner levels and, if it is `open`, the schedule, which is baseline
// where the names cannot do local_bandwidth_aware. What nothing can do stays as it is; automatic
// algorithms do too.
void complete_named(CollectiveSpec& spec, bool open, Collective kind, const TopologySpec& topology);

}  // namespace orrery
