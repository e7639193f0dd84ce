// The route that the levels of a structural topology say, by arithmetic: level by level,
// innermost first; on a ring the shorter way round, upwards when both are equally long. On a torus
// or mesh this is dimension-order routing (W. Dally, C. Seitz, IEEE Trans. Computers C-36(5),
// 1987).
#pragma once

#include <vector>

#include "network/routing/shortest_paths.h"
#include "network/topology/topology.h"

namespace orrery {

// Appends the links from one node to another. A switch is entered from below, by the NPU under it
// that is reached first, and left towards the NPU whose coordinate the target shares.
// REQUIRES: topology.structural(); from != to.
void append_level_route(const Topology& topology, NodeId from, NodeId to,
                        std::vector<LinkIndex>& links);

// Whether two NPUs are half a ring apart on some level: both ways round are equally long.
bool has_two_ways(const Topology& topology, NodeId from, NodeId to);

// Appends the links of both ways of each such level, with half of the bytes, and those of the other
// levels; `scratch` is overwritten. REQUIRES: as above; both are NPUs.
void append_level_shares(const Topology& topology, NodeId from, NodeId to,
                         std::vector<LinkShare>& shares, std::vector<LinkIndex>& scratch);

}  // namespace orrery
