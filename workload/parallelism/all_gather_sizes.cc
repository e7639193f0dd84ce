#include "workload/parallelism/all_gather_sizes.h"

#include "workload/parallelism/involved_levels.h"

namespace orrery {

namespace {

void scale_all_gather(PassSpec& pass, std::int64_t ranks) {
  if (pass.collective == Collective::all_gather) pass.size = pass.size * ranks;
}

}  // namespace

void count_whole_all_gathers(LayerTable& table, std::span<const LevelSpec> levels,
                             const std::vector<int>& dimensions) {
  if (table.policy == ParallelismPolicy::hybrid_transformer) return;
  const auto ranks_of = [&](const std::vector<int>& group) {
    std::int64_t ranks = 1;
    for (const int level : group) ranks *= levels[level].size;
    return ranks;
  };
  for (LayerSpec& layer : table.layers) {
    const InvolvedLevels involved =
        involved_levels(table, layer, static_cast<int>(levels.size()), dimensions);
    const std::int64_t activation_ranks = ranks_of(involved.activations);
    const std::int64_t gradient_ranks = ranks_of(involved.gradients);
    scale_all_gather(layer.forward, activation_ranks);
    scale_all_gather(layer.input_gradient, activation_ranks);
    scale_all_gather(layer.weight_gradient, gradient_ranks);
  }
}

}  // namespace orrery
