// Configuration of the system layer as plain data: filled by frontends/yaml, by tests by hand.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

// Order in which a rank starts the waiting chunks of its collectives; a HIGHEST call goes before
// all.
enum class SchedulingPolicy : std::uint8_t {
  lifo,      // the newest collective first: the gradients that the next forward pass needs first
  fifo,      // the oldest first
  priority,  // the largest Priority first, the oldest among equals
  shortest_first,  // the fewest bytes first, the oldest among equals
};
std::string_view name_of(SchedulingPolicy policy);

// How a collective over several levels is composed.
enum class HierarchicalSchedule : std::uint8_t {
  baseline,               // the full chunk at every level, innermost first
  local_bandwidth_aware,  // reduce-scatter up, all-reduce on top, all-gather down
  flat,                   // one algorithm over all ranks, in the order of the topology
};
std::string_view name_of(HierarchicalSchedule schedule);

struct CollectiveSpec {
  HierarchicalSchedule schedule = HierarchicalSchedule::baseline;
  // One for each level of the platform, innermost first; a single one holds for all levels.
  // `flat` takes a single one.
  std::vector<NamedAlgorithm> algorithms = {"ring"};
  std::int32_t chunks = 16;  // a collective is cut into this many, see minimum_chunk; >= 1
};

// The algorithm of a collective on a level of the topology.
inline const NamedAlgorithm& algorithm_on(const CollectiveSpec& spec, int level) {
  return spec.algorithms.size() == 1 ? spec.algorithms[0] : spec.algorithms[level];
}

struct SystemSpec {
  SchedulingPolicy scheduling = SchedulingPolicy::lifo;
  std::array<CollectiveSpec, collective_count> collectives;  // index: Collective
  Bytes minimum_chunk = kibibytes(1);                        // a chunk is not made smaller; >= 1 B
  std::int32_t first_phase_limit = 64;  // chunks of a rank that may be in their first phase
  std::int32_t queue_limit = 32;        // chunks that run at once in one queue of a level
  std::int32_t queues_per_level = 1;    // a level's chunks take its queues in turn
  Duration injection_latency = nanoseconds(10);  // per message on scale-out levels, at send and
                                                 // again at receive (the memory copy)
  Duration local_injection_latency = nanoseconds(10);  // the same on local levels
  std::optional<Bandwidth> reduction_bandwidth;  // an arrival that is added takes size / this; none
                                                 // = reductions cost no time
};

}  // namespace orrery
