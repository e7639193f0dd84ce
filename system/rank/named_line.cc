#include "system/rank/named_line.h"

#include <algorithm>
#include <deque>

#include "core/units/range_error.h"
#include "system/collective/between_nodes.h"
#include "system/collective/capability.h"
#include "system/collective/chunk_orders.h"
#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"
#include "system/rank/chunk_line.h"

namespace orrery {

Duration time_in_named_line(const Topology& topology, const SystemSpec& system, PhaseCosts& costs,
                            const CollectiveSpec& named, const std::vector<PhaseLevel>& levels,
                            Collective kind, Bytes size) try {
  kind = planned_as(kind);
  const auto orders = orders_of(named.schedule, static_cast<int>(levels.size()));
  if (orders.size() > 1 || has_root(kind)) return {};
  const std::int32_t chunks = chunk_count(size, named.chunks, system.minimum_chunk);
  const PieceSizes sizes(size, chunks);
  std::vector<std::int32_t> members;
  for (const PhaseLevel& level : levels) members.push_back(level.members);
  std::deque<std::vector<TimedStage>> stages;  // which the line looks at
  std::vector<PhaseInLine> line;
  Duration launch;
  for (const Phase& phase : make_phases(kind, named.schedule, orders.front())) {
    if (phase.dimension == kWhole) return {};
    const auto index = static_cast<std::size_t>(phase.dimension);
    const PhaseLevel& level = levels[index];
    const NamedAlgorithm& algorithm = algorithm_on(named, phase.dimension);
    const PhaseCost* cost = costs.of(algorithm, phase.kind, level);
    if (cost == nullptr) return {};
    const ProtocolCost* row =
        find_cost(system.protocols, named.protocol, algorithm.name,
                  place_of(topology.levels(), static_cast<std::size_t>(level.level)));
    ProtocolCost paid = row == nullptr ? ProtocolCost{} : *row;
    paid.efficiency = data_share(paid, named.in_turn, phase, members);
    launch = std::max(launch, paid.launch);
    std::int64_t parts = 1;
    for (const int d : phase.scattered) parts *= members[static_cast<std::size_t>(d)];
    stages.push_back(
        cost->timed(equal_part(sizes.size(0), parts), system, row == nullptr ? nullptr : &paid));
    line.push_back({.level = index,
                    .port = static_cast<std::size_t>(level.port),
                    .stages = stages.back(),
                    .queue = index * 2 + (phase.back ? 1 : 0),
                    .places = named.in_turn ? 1 : 0});
  }
  return time_in_line(line, chunks) + launch;
} catch (const RangeError&) {  // another candidate may be within the clock
  return Time::never().since_start;
}

}  // namespace orrery
