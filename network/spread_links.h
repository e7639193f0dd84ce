// Over how many links a message goes where it takes all shortest paths: what its path costs to be
// found and compared, for a forecast.
#pragma once

#include <cstdint>
#include <vector>

#include "network/routing_spec.h"
#include "network/topology/topology.h"

namespace orrery {

struct SpreadLinks {
  // Of messages of NPU 0 that cross each level last, the mean; a few of them are looked at.
  std::vector<double> on_level;
  double links = 0;  // the mean over all of these
  // NPUs of one leaf have one way to the core (routing/core_graph.h). As many as NPUs where each
  // has several.
  std::int32_t leaves = 0;
};

// Whether messages from the first NPU to the last one divide over several paths.
bool divides_messages(const Topology& topology, const RoutingSpec& routing);

// None where each message takes one path.
SpreadLinks spread_links(const Topology& topology, const RoutingSpec& routing);

}  // namespace orrery
