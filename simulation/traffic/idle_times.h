// How long each flow takes on an idle network, of the same backend with the same settings: what a
// slowdown is compared with.
//
// Paths with the same links (bandwidth, latency and level, in order) are of a class. For each class
// flows of the sizes 2^(k/4) are simulated, each alone; between two of these sizes the time is
// linear. Flows of a class take turns in lending their two NPUs, so that no connection has a past
// where there are enough of them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/units/units.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"
#include "simulation/traffic/flows.h"
#include "simulation/traffic_spec.h"

namespace orrery {

// A time for each flow that was delivered, 0 for others. Faults are left out. No other backend may
// exist in this thread if this one is of a kind that wants the thread for itself (network/ns3).
// None if `stop` says so.
std::vector<Duration> idle_times(const Topology& topology, const NetworkSpec& network,
                                 std::span<const Flow> flows, FlowEnd ends,
                                 const std::function<bool()>& stop);

}  // namespace orrery
