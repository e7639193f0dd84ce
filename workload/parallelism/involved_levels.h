// Which levels of the platform take part in the collectives of a parallelism policy.
#pragma once

#include <vector>

#include "workload/layer_table.h"

namespace orrery {

// Ascending; empty = there is no one to talk to.
struct InvolvedLevels {
  std::vector<int> activations;  // of the forward and input-gradient passes
  std::vector<int> gradients;    // of the weight-gradient pass
};

// level_of_dimension[d] is the level that plays the policy's dimension d; empty = the level d
// itself. REQUIRES: levels > 0; level_of_dimension is empty or a permutation of 0 .. levels-1.
InvolvedLevels involved_levels(ParallelismPolicy policy, int levels,
                               const std::vector<int>& level_of_dimension);
// Of a layer of the table.
InvolvedLevels involved_levels(const LayerTable& table, const LayerSpec& layer, int levels,
                               const std::vector<int>& level_of_dimension);

}  // namespace orrery
