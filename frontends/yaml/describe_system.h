// The keys of `system:`. Keys is Reader or SchemaWriter.
#pragma once

#include <string>
#include <vector>

#include "frontends/experiment.h"
#include "frontends/yaml/reader.h"

namespace orrery::yaml {

// The system-wide schedule, algorithms and chunks, and where they were given.
struct CollectiveDefaults {
  CollectiveSpec spec;
  OneOrMore<NamedAlgorithm> algorithms;
  std::string schedule_origin, algorithms_origin, chunks_origin;
};

// The algorithms of `kind` where `collective` names none: those of `defaults` if they can do it,
// else one for each level that suits its kind. Says in `origin` which.
std::vector<NamedAlgorithm> fallback_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const CollectiveDefaults& defaults,
                                                const TopologySpec& topology, std::string& origin);

// One name or, unless the schedule is flat, one for each level.
void check_count(Reader& keys, const OneOrMore<NamedAlgorithm>& algorithms,
                 HierarchicalSchedule schedule, const TopologySpec& topology);

// Each algorithm can do what it is asked on its level.
void check_support(Reader& keys, Collective kind, const CollectiveSpec& spec,
                   const TopologySpec& topology);

inline constexpr std::string_view schedule_help =
    "how a collective over several levels is composed; flat: one algorithm over all ranks";
inline constexpr std::string_view algorithms_help =
    "one name for each level, innermost first, or a single one for all levels";
inline constexpr std::string_view chunks_help = "parts that a collective is cut into";

template <class Keys>
void describe_collective(Keys& keys, Collective kind, CollectiveSpec& spec,
                         const CollectiveDefaults& defaults, const TopologySpec& topology,
                         bool topology_known) {
  spec = defaults.spec;
  keys.optional("schedule", spec.schedule, schedule_help, any_value, defaults.schedule_origin);
  OneOrMore<NamedAlgorithm> algorithms;
  std::string origin;
  if (topology_known) {
    algorithms.values = fallback_algorithms(kind, spec.schedule, defaults, topology, origin);
  }
  keys.optional("algorithms", algorithms, algorithms_help, any_value, origin);
  keys.optional("chunks", spec.chunks, chunks_help, positive, defaults.chunks_origin);
  keys.check([&](Reader& reader) {
    if (!topology_known || !reader.clean()) return;
    check_count(reader, algorithms, spec.schedule, topology);
    spec.algorithms = algorithms.values;
    if (reader.clean()) check_support(reader, kind, spec, topology);
  });
}

template <class Keys>
void describe_system(Keys& keys, SystemSpec& system, const TopologySpec& topology,
                     bool topology_known) {
  keys.optional("scheduling", system.scheduling,
                "which waiting chunks start first: lifo, those of the newest collective; fifo");
  CollectiveDefaults defaults;
  keys.optional("schedule", defaults.spec.schedule, schedule_help);
  keys.optional("algorithms", defaults.algorithms, algorithms_help);
  keys.optional("chunks", defaults.spec.chunks, chunks_help, positive);
  keys.check([&](Reader& reader) {
    defaults.schedule_origin = reader.origin_of("schedule");
    defaults.algorithms_origin = reader.origin_of("algorithms");
    defaults.chunks_origin = reader.origin_of("chunks");
    if (topology_known && reader.clean())
      check_count(reader, defaults.algorithms, defaults.spec.schedule, topology);
    topology_known = topology_known && reader.clean();
  });
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    keys.map(name_of(kind), "settings of this kind of collective, instead of those for all",
             [&](auto& collective) {
               describe_collective(collective, kind, system.collectives[i], defaults, topology,
                                   topology_known);
             });
  }
  keys.optional("minimum_chunk", system.minimum_chunk, "a chunk is not made smaller than this",
                positive);
  keys.optional("first_phase_limit", system.first_phase_limit,
                "chunks of a rank that may be in their first phase at once", positive);
  keys.optional("queue_limit", system.queue_limit, "chunks that run at once in a queue of a level",
                positive);
  keys.optional("queues_per_level", system.queues_per_level,
                "queues of a level, which its chunks take in turn", positive);
  keys.optional("injection_latency", system.injection_latency,
                "time of a message between memory and network at each end, on scale-out levels",
                not_negative);
  keys.optional("local_injection_latency", system.local_injection_latency,
                "the same on local levels", not_negative);
  keys.optional("reduction_bandwidth", system.reduction_bandwidth,
                "rate of adding arrived data; without it reductions take no time", positive);
}

}  // namespace orrery::yaml
