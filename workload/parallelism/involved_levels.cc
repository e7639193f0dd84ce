#include "workload/parallelism/involved_levels.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/base/check.h"

namespace orrery {

namespace {

std::vector<int> ascending(std::vector<int> levels) {
  std::sort(levels.begin(), levels.end());
  return levels;
}

}  // namespace

InvolvedLevels involved_levels(ParallelismPolicy policy, int levels,
                               const std::vector<int>& level_of_dimension) {
  CHECK(levels > 0, "a platform of {} levels", levels);
  std::vector<int> all(static_cast<std::size_t>(levels));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int>& dimensions = level_of_dimension.empty() ? all : level_of_dimension;
  CHECK(ascending(dimensions) == all, "{} dimensions are no order of {} levels", dimensions.size(),
        levels);

  const std::vector<int> first = {dimensions.front()};
  const std::vector<int> others = ascending({dimensions.begin() + 1, dimensions.end()});
  switch (policy) {
    case ParallelismPolicy::micro:
    case ParallelismPolicy::data:
      return {.activations = {}, .gradients = all};
    case ParallelismPolicy::model:
    case ParallelismPolicy::distributed_inference:
      return {.activations = all, .gradients = {}};
    case ParallelismPolicy::hybrid_data_model:
      return {.activations = first, .gradients = others};
    case ParallelismPolicy::hybrid_model_data:
      return {.activations = others, .gradients = first};
    case ParallelismPolicy::hybrid_dlrm:
    case ParallelismPolicy::hybrid_dlrm_enhanced:
    case ParallelismPolicy::hybrid_transformer:  // speaks of ranks, not of levels
    case ParallelismPolicy::hybrid_customized:   // of no layer
      break;
  }
  return {.activations = all, .gradients = all};
}

InvolvedLevels involved_levels(const LayerTable& table, const LayerSpec& layer, int levels,
                               const std::vector<int>& level_of_dimension) {
  const bool own = table.policy == ParallelismPolicy::hybrid_customized;
  return involved_levels(own ? layer.policy : table.policy, levels, level_of_dimension);
}

}  // namespace orrery
