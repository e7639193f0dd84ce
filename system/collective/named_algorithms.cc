#include "system/collective/named_algorithms.h"

#include <utility>

#include "system/collective/capability.h"

namespace orrery {

bool can_do(const CollectiveSpec& spec, Collective kind, const TopologySpec& topology) {
  const std::size_t count = algorithm_choices(spec.schedule, topology);
  if (spec.algorithms.size() != 1 && spec.algorithms.size() != count) return false;
  for (std::size_t level = 0; level < count; ++level) {
    const NamedAlgorithm& algorithm = spec.algorithms[spec.algorithms.size() == 1 ? 0 : level];
    if (!first_unsupported(algorithm, kind, spec.schedule, topology, level).empty()) return false;
  }
  return true;
}

void complete_named(CollectiveSpec& spec, bool open, Collective kind,
                    const TopologySpec& topology) {
  if (spec.algorithms.empty() || is_automatic(spec.algorithms)) return;
  if (topology.levels.size() == 1) return;
  CollectiveSpec written = spec;
  if (open) written.schedule = HierarchicalSchedule::baseline;
  if (open) spec.schedule = HierarchicalSchedule::local_bandwidth_aware;
  if (can_do(spec, kind, topology) || spec.schedule == HierarchicalSchedule::flat) return;
  if (written.algorithms.size() == 1) {
    spec.algorithms = suitable_algorithms(kind, spec.schedule, topology);
    spec.algorithms.back() = written.algorithms.front();
    if (can_do(spec, kind, topology)) return;
  }
  spec = written;
}

}  // namespace orrery
