// Flow completion times and slowdowns, in the forms of a report.
#pragma once

#include <string>

#include "simulation/traffic_result.h"

namespace orrery {

std::string traffic_text(const TrafficResult& result);
std::string traffic_json(const TrafficResult& result);
std::string traffic_csv(const TrafficResult& result);  // a line for each range of sizes
std::string flows_csv(const TrafficResult& result);    // a line for each flow that was delivered

// As the simulator of HPCC writes them (fct.txt): addresses, ports, size, start, time and time on
// the idle network, in nanoseconds. Ordered by the ends of the flows.
std::string flows_hpcc(const TrafficResult& result);

}  // namespace orrery
