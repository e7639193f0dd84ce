// All-gathers of a layer table as the simulator counts them.
#pragma once

#include <span>
#include <vector>

#include "network/topology/topology.h"
#include "workload/layer_table.h"

namespace orrery {

// Multiplies the size of every all-gather by the number of ranks that take part, because PassSpec
// counts the whole output. A step of its own: the number follows from the platform, not the file.
// Call it once. `dimensions` as for make_training_job().
void count_whole_all_gathers(LayerTable& table, std::span<const LevelSpec> levels,
                             const std::vector<int>& dimensions);

}  // namespace orrery
