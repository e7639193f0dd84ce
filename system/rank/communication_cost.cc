#include "system/rank/communication_cost.h"

#include <algorithm>

#include "system/collective/bandwidth_bound.h"
#include "system/collective/phases.h"
#include "system/rank/prediction.h"

namespace orrery {
namespace {

// Times of bytes of which a share is data.
Duration on_the_wire(Duration time, const ProtocolCost* cost) {
  return cost == nullptr ? time : whole_of(time, cost->efficiency);
}

}  // namespace

CommunicationCost& CommunicationCost::operator+=(const CommunicationCost& other) {
  if (levels_.size() < other.levels_.size()) levels_.resize(other.levels_.size());
  for (std::size_t level = 0; level < other.levels_.size(); ++level) {
    levels_[level].carried += other.levels_[level].carried;
    levels_[level].latency += other.levels_[level].latency;
  }
  return *this;
}

CommunicationCost cost_of_collective(const CollectiveCall& call, const CollectiveSpec& spec,
                                     const SystemSpec& system, const GroupFamily& family,
                                     const Topology& topology) {
  const GroupLayout& layout = family.layouts().front();
  CommunicationCost cost(topology.levels().size());
  const auto orders = orders_of(spec.schedule, static_cast<int>(layout.dimensions.size()));
  for (const Phase& phase : make_phases(call.kind, spec.schedule, orders.front())) {
    const GroupDimension& dimension = layout.dimension(phase.dimension);
    const NamedAlgorithm& algorithm = algorithm_on(spec, dimension.level);
    if (!algorithm.supports(phase.kind, dimension.size)) return CommunicationCost();
    const LevelSpec level = level_alone(topology.levels()[dimension.level], dimension.size);
    cost.add_latency(dimension.level,
                     latency_alone(level, system, algorithm, spec.protocol, phase.kind));
  }
  const std::vector<Duration> carried =
      bandwidth_by_level(call, spec, system.minimum_chunk, family, topology);
  for (int level = 0; level < static_cast<int>(carried.size()); ++level)
    cost.add_carried(level, on_the_wire(carried[static_cast<std::size_t>(level)],
                                        find_cost(system.protocols, spec.protocol,
                                                  algorithm_on(spec, level).name)));
  return cost;
}

CommunicationCost cost_of_message(Rank from, Rank to, Bytes size, const SystemSpec& system,
                                  const Topology& topology) {
  CommunicationCost cost(topology.levels().size());
  int outermost = 0, slowest = -1;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const std::int32_t a = topology.coordinate({from}, level), b = topology.coordinate({to}, level);
    if (a == b) continue;
    cost.add_latency(level, topology.path_latency(level, a, b));
    outermost = level;
    if (slowest < 0 || topology.levels()[level].bandwidth < topology.levels()[slowest].bandwidth)
      slowest = level;
  }
  if (slowest < 0) return cost;
  const bool scale_out = topology.levels()[outermost].scope == Scope::scale_out;
  cost.add_latency(outermost,
                   (scale_out ? system.injection_latency : system.local_injection_latency) * 2);
  cost.add_carried(slowest, transfer_time(size, topology.levels()[slowest].bandwidth));
  return cost;
}

}  // namespace orrery
