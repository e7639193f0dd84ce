// The least time a collective can take as it is configured: the bytes that must leave or reach the
// busiest rank on each level, at the full bandwidth of the ports that the algorithm uses there,
// without latency.
//
//   all_reduce 2(n-1)/n S; broadcast, reduce S; barrier 0; the others (n-1)/n S; per phase, S being
//   the phase's buffer; an all-to-allv what the rank sends or receives that has most
//
// in_network: S, barrier 0. Else these bytes are lower bounds of any algorithm: E. Chan et al.,
// "Collective communication: theory, practice, and experience", CCPE 19(13), 2007.
//
// Where ranks have several ports (a ring, a full mesh), or those of a phase are apart on several
// levels (a flat schedule, an uneven group): what the sends of the plans put on the busiest port,
// each on the first and the last port of its way. So a ring on a ring level has one of a rank's two
// ports. For plans of more than a million sends, the bytes above at all ports of a rank.
//
// If groups of the family differ, the bound is that of the first one.
#pragma once

#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"
#include "system/collective/chunk_orders.h"
#include "system/collective/group.h"
#include "system/operation_source.h"
#include "system/system_spec.h"

namespace orrery {

// What orders_of_chunks() is told of the dimensions of those groups of a family that have a layout.
std::vector<DimensionRate> dimension_rates(Collective kind, const CollectiveSpec& spec,
                                           const GroupFamily& family, const GroupLayout& layout,
                                           const Topology& topology);

// What the bytes on each level of the topology take, all phases together; what passes several
// levels in one phase is on the outermost, or, of levels that are joined, on that of their port.
// Zeros (nothing is known) for an all-to-allv with sizes of its own among more than 4,096 ranks.
std::vector<Duration> bandwidth_by_level(const CollectiveCall& call, const CollectiveSpec& spec,
                                         Bytes minimum_chunk, const GroupFamily& family,
                                         const Topology& topology);

// The longest of these: levels can be busy at the same time, but not those behind the same links.
Duration bandwidth_bound(const CollectiveCall& call, const CollectiveSpec& spec,
                         Bytes minimum_chunk, const GroupFamily& family, const Topology& topology);

}  // namespace orrery
