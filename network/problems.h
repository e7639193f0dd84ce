// The rules of networks, whoever filled the specs: problems_of(spec) names those that it breaks.
// The builders of topologies have theirs beside them (topology/builders/).
#pragma once

#include <cstdint>

#include "core/base/spec_problem.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"

namespace orrery {

inline constexpr std::int64_t npus_at_most = 1 << 24;

// Keys of platform.topology.levels[i], and of platform.topology: names that can be told apart, and
// a platform that fits into memory.
SpecProblems problems_of(const LevelSpec& level);
SpecProblems problems_of(const TopologySpec& topology);

// Keys of network.transport: the MTU holds headers and data; the windows hold segments.
SpecProblems problems_of(const TransportSpec& transport);
// Keys of network.switch: a buffer holds a full packet, and RED's thresholds are in order.
SpecProblems problems_of(const SwitchSpec& switches, Bytes full_packet);
// Keys of network.fluid: sizes ascend, nothing flows at no rate, the tolerance is 0.1 % at most.
SpecProblems problems_of(const FluidSpec& fluid);
// Keys of network.credit: a buffer holds a segment.
SpecProblems problems_of(const CreditSpec& credit);
// Keys of network.routing.
SpecProblems problems_of(const RoutingSpec& routing, const TopologySpec& topology);

// The buffers of levels hold a packet, this build has their transports, and watched pairs are NPUs:
// of `network:` as a whole.
SpecProblems problems_of_packets(const NetworkSpec& network, const TopologySpec& topology);
// Keys of `network:`.
SpecProblems problems_of(const NetworkSpec& network, const TopologySpec& topology);

}  // namespace orrery
