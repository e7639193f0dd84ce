// Which model carries the messages of levels without a protocol (transport `ideal`).
#pragma once

#include "network/network_spec.h"
#include "network/topology/topology.h"

namespace orrery {

// What the file names, or else: no protocol makes a link carry more than its bandwidth, so where
// messages of several NPUs can meet between their ports it is fluid. Where they cannot, analytical
// has all that is shared. `usual`: of the backend. O(links).
IdealModel ideal_model_of(const NetworkSpec& spec, const Topology& topology, TransportKind usual);

}  // namespace orrery
