// Over how many links a message goes where it takes all shortest paths: what its path costs to be
// found and compared, for a forecast.
#pragma once

#include "network/routing_spec.h"
#include "network/topology/topology.h"

namespace orrery {

// The mean over messages of NPU 0, of which a few are looked at. 0 where each message takes one
// path.
double spread_links(const Topology& topology, const RoutingSpec& routing);

}  // namespace orrery
