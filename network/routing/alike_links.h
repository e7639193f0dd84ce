// Links that carry the same of every flow that divides over all its shortest paths: such as those
// from a leaf to all spines of one bandwidth. What is full on one of them is full on all, so a
// solver of rates has to know one.
#pragma once

#include <vector>

#include "network/routing/shortest_paths.h"
#include "network/topology/topology.h"

namespace orrery {

// Of each link, the first that is alike to it: of the same bandwidth, with the same share of every
// flow (ShortestPaths::shares()); itself if there is none. Empty if some NPUs are not joined: their
// flows may take other ways.
std::vector<LinkIndex> find_alike_links(const Topology& topology, ShortestPaths& paths);

// The nodes of the core at which ways begin and end, upwards. The above looks at all their pairs.
std::vector<CoreNode> ends_of_ways(const Topology& topology, const CoreGraph& core);

}  // namespace orrery
