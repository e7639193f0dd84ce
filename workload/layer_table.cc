#include "workload/layer_table.h"

namespace orrery {

std::int32_t stages_among(const TransformerGroups& groups, std::int32_t ranks) {
  const bool is_one = std::int64_t{ranks} * groups.stages == groups.ranks;
  return is_one ? 1 : groups.stages;
}

std::int32_t data_replicas(const TransformerGroups& groups, std::int32_t ranks) {
  return ranks / (groups.tensor * stages_among(groups, ranks));
}

}  // namespace orrery
