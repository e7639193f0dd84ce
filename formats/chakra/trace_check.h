// What the ranks of a trace contradict each other in, over all ranks.
#pragma once

#include <string>
#include <vector>

#include "workload/workload_spec.h"

namespace orrery::chakra {

// Sends without a receive, receives without a send, messages whose ends say other sizes; calls of a
// group that differ in kind, size or number. A line each, at most 20. Nothing is said of ranks
// whose graph_of_rank is -1.
std::vector<std::string> contradictions_in(const GraphWorkload& workload);

}  // namespace orrery::chakra
