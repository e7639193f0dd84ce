// What an NPU of a graph gets for messages that cross a level while all others send across it too:
// less than its port takes where the fabric tapers.
#pragma once

#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

// For each level, what the first group of the level below can send to the other groups of the same
// group of the level, by maximum flow and for each of its NPUs, and at most what a port takes
// there. Of levels that say the wires, what a port takes. O(links) for each level.
std::vector<Bandwidth> crossing_bandwidths(const Topology& topology);

}  // namespace orrery
