// By which links an NPU of a graph leaves for each level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/topology/graph_spec.h"

namespace orrery {

// For each level the innermost one whose messages leave NPU 0 by the same links, as far as they
// take a way of least cost: 0, 1, 1 for NVLink, then leaves and spines behind one NIC. `strides`:
// the distance of neighbours on each level, in NPUs. O(links), with a look at each.
std::vector<int> levels_by_first_links(const GraphSpec& graph,
                                       std::span<const std::int32_t> strides);

}  // namespace orrery
