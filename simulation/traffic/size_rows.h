// The rows of a TrafficResult: its flows by size.
#pragma once

#include <span>
#include <vector>

#include "simulation/traffic_result.h"
#include "simulation/traffic_spec.h"

namespace orrery {

// A row for the flows between each two points of the distribution that has some, one for all of
// these, and one for the flows of incasts. REQUIRES: idle times of all flows.
std::vector<FlowSizeRow> size_rows(const TrafficResult& result, std::span<const SizePoint> points);

}  // namespace orrery
