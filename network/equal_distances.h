// Whether any two parts of a level of a graph are as many links apart.
#pragma once

#include "network/topology/topology.h"

namespace orrery {

// The first and the last part of the level's first group are as far from all others of it, by
// shortest paths. Where they are and shifts_differ() (network/shift_bandwidth.h) is false, so are
// those between: leaves below spines, but not servers on leaves that are no level of their own.
// REQUIRES: a graph.
bool equally_far(const Topology& topology, int level);

}  // namespace orrery
