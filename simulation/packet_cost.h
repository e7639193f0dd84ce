// What it costs to simulate packets: for a forecast.
#pragma once

#include <span>
#include <string>

#include "core/units/total.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"

namespace orrery {

// CPU seconds, within a factor of two, of so many bytes on each level, on the backend `packet`. A
// packet and its acknowledgement take 0.8 us on each link that they pass, of TCP 4 us
// (docs/speed.md). Levels of transport `ideal` have no packets.
double packet_cpu_seconds(const NetworkSpec& network, const Topology& topology,
                          std::span<const TotalBytes> bytes);

// "3 CPU s", "40 CPU minutes".
std::string cpu_time_text(double seconds);

}  // namespace orrery
