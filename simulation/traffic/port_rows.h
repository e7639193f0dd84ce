// What a TrafficResult says of ports over time: pauses, and how much waited.
#pragma once

#include "network/packet_statistics.h"
#include "network/topology/topology.h"
#include "simulation/traffic_result.h"

namespace orrery {

void add_ports(TrafficResult& result, const Topology& topology, const PacketStatistics& packets);

}  // namespace orrery
