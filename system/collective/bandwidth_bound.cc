#include "system/collective/bandwidth_bound.h"

#include <algorithm>

namespace orrery {

Duration bandwidth_bound(Bytes size, const std::vector<Phase>& phases, const GroupFamily& family,
                         const Topology& topology) {
  std::vector<std::int64_t> bytes_of_level(topology.levels().size());
  for (const Phase& phase : phases) {
    const GroupDimension& dimension = family.dimensions()[phase.dimension];
    std::int64_t parts = 1;
    for (int d = 0; d < phase.scattered; ++d) parts *= family.dimensions()[d].size;
    const std::int64_t factor = phase.kind == Collective::all_reduce ? 2 : 1;
    // Rounded down: a bound must not exceed the mean. 64 bits hold 40 TB over 100,000 ranks.
    bytes_of_level[dimension.level] +=
        size.value * factor * (dimension.size - 1) / (dimension.size * parts);
  }
  Duration bound;
  for (std::size_t level = 0; level < bytes_of_level.size(); ++level) {
    // Rounded up, as every time is whole picoseconds.
    bound = std::max(bound, transfer_time({bytes_of_level[level]},
                                          topology.injection_bandwidth(static_cast<int>(level))));
  }
  return bound;
}

}  // namespace orrery
