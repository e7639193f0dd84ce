#include "system/collective/bandwidth_bound.h"

#include <algorithm>

namespace orrery {

namespace {

// In n-ths of the phase's buffer.
std::int64_t parts_at_port(Collective kind, std::int64_t n) {
  switch (kind) {
    case Collective::all_reduce:
      return 2 * (n - 1);
    case Collective::broadcast:
    case Collective::reduce:
      return n;
    case Collective::barrier:
      return 0;
    default:
      return n - 1;
  }
}

}  // namespace

Duration bandwidth_bound(Bytes size, const std::vector<Phase>& phases, const GroupFamily& family,
                         const Topology& topology) {
  std::vector<std::int64_t> bytes_of_level(topology.levels().size());
  for (const Phase& phase : phases) {
    const GroupDimension& dimension = family.dimensions()[phase.dimension];
    std::int64_t parts = 1;
    for (int d = 0; d < phase.scattered; ++d) parts *= family.dimensions()[d].size;
    // Rounded down: a bound must not exceed the mean. 64 bits hold 40 TB over 100,000 ranks.
    bytes_of_level[dimension.level] +=
        size.value * parts_at_port(phase.kind, dimension.size) / (dimension.size * parts);
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
