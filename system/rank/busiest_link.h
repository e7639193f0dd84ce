// What an algorithm whose ranks have roles takes of links that messages share on their way: on
// rings and meshes, and between routers.
#pragma once

#include "network/topology/topology.h"
#include "system/collective_algorithm.h"

namespace orrery {

// How long the busiest link of the first group of the level is busy, for each byte of the buffer,
// if the NPUs of all parts of the level run it side by side, of many NPUs some; chunks take its
// variants in turn. 0: there is no way.
double seconds_of_busiest_link(const Topology& topology, int level,
                               const CollectiveAlgorithm& algorithm, Collective kind);

}  // namespace orrery
