#include "system/rank/communication_cost.h"

#include <algorithm>
#include <cmath>

#include "system/collective/bandwidth_bound.h"
#include "system/collective/between_nodes.h"
#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"
#include "system/rank/prediction.h"

namespace orrery {
namespace {

// Times of bytes of which a share is data.
Duration on_the_wire(Duration time, const ProtocolCost* cost) {
  return cost == nullptr ? time : whole_of(time, cost->efficiency);
}

// What the bytes of one chunk take from the first rank to the last, where ranks have roles. In
// other plans every rank's port carries its share at the same time.
Duration passing_on(const LevelSpec& level, const SystemSpec& system,
                    const NamedAlgorithm& algorithm, Protocol protocol, Collective phase,
                    Bytes part) {
  constexpr std::int32_t most_ranks = 1 << 12;  // whose chunk is simulated
  const Collective kind = planned_as(phase);
  if (part == Bytes{} || level.size > most_ranks) return {};
  if (algorithm.algorithm->plan(kind, level.size, 0)->symmetry() != Symmetry::none) return {};
  CollectiveSpec alone;
  alone.algorithms = {algorithm};
  alone.chunks = 1;
  alone.any_chunks = false;
  alone.protocol = protocol;
  return predicted_time({level}, system, alone, kind, part) -
         latency_alone(level, system, algorithm, protocol, phase);
}

// At most a time within the clock.
Duration scaled(Duration time, double factor) {
  const double product = static_cast<double>(time.value) * factor;
  const Duration most = Time::never().since_start;
  return product < static_cast<double>(most.value) ? Duration{std::llround(product)} : most;
}

// What bytes take that a port alone would carry in `time`.
Duration while_all_send(Duration time, Bandwidth port, Bandwidth crossing) {
  if (crossing >= port) return time;
  return scaled(time, static_cast<double>(port.value) / static_cast<double>(crossing.value));
}

// The level whose links hold up what is sent across this one: those of the port, if that is shared
// with an inner level and the fabric does not taper here.
int held_at(int level, const Topology& topology, std::span<const Bandwidth> crossing) {
  const auto index = static_cast<std::size_t>(level);
  return crossing[index] < topology.levels()[index].bandwidth ? level : topology.port_level(level);
}

// An exchange that takes levels behind one port as one counts at the port. Where the fabric tapers,
// what leaves the groups of a level of n members each, of N in all, takes (N - n) / N of the buffer
// besides: at the same time, so it is of interest where it takes longer.
void add_joined_levels(CommunicationCost& cost, const CollectiveCall& call,
                       const CollectiveSpec& spec, const GroupLayout& layout,
                       const Topology& topology, std::span<const Bandwidth> crossing) {
  const bool is_joined = std::ranges::any_of(layout.dimensions, &GroupDimension::joined);
  if (!is_joined || spec.schedule == HierarchicalSchedule::flat || call.pair_sizes) return;
  std::int64_t inside = 1;
  for (const auto& [level, members] : layout.along) {
    const auto index = static_cast<std::size_t>(level);
    const bool tapers = crossing[index] < topology.levels()[index].bandwidth;
    if (tapers && topology.port_level(level) != level)
      cost.add_carried(level, scaled(transfer_time(call.size, crossing[index]),
                                     static_cast<double>(layout.whole.size - inside) /
                                         static_cast<double>(layout.whole.size)));
    inside *= members;
  }
}

// A message between members that differ on several levels passes all of them: the latency of those
// inside the dimension's own level.
Duration latency_inside(const GroupLayout& layout, int of, const Topology& topology) {
  const GroupDimension& dimension = layout.dimension(of);
  if (dimension.one_level) return {};
  const int before = of > 0 ? layout.dimension(of - 1).level : -1;
  Duration latency;
  for (const auto& [level, members] : layout.along) {
    if (level <= before || level >= dimension.level || members == 1) continue;
    const LevelSpec inner = level_alone(topology, level, members);
    if (inner.kind == LevelKind::switched) latency += inner.latency;
  }
  return latency;
}

}  // namespace

CommunicationCost& CommunicationCost::operator+=(const CommunicationCost& other) {
  if (levels_.size() < other.levels_.size()) levels_.resize(other.levels_.size());
  for (std::size_t level = 0; level < other.levels_.size(); ++level) {
    levels_[level].carried += other.levels_[level].carried;
    levels_[level].latency += other.levels_[level].latency;
  }
  chunks_ += other.chunks_;
  return *this;
}

CommunicationCost cost_of_collective(const CollectiveCall& call, const CollectiveSpec& spec,
                                     const SystemSpec& system, const GroupFamily& family,
                                     const Topology& topology,
                                     std::span<const Bandwidth> crossing) {
  const GroupLayout& layout = family.layout(0, call.kind);
  CommunicationCost cost(topology.levels().size());
  const std::int32_t chunks = chunk_count(call.size, spec.chunks, system.minimum_chunk);
  cost.add_chunks(chunks);
  std::vector<Duration> passing(topology.levels().size());
  std::vector<Share> shares(topology.levels().size(), Share{1, 1});
  std::vector<std::int32_t> sizes;
  for (const GroupDimension& dimension : layout.dimensions) sizes.push_back(dimension.size);
  const auto orders = orders_of(spec.schedule, static_cast<int>(layout.dimensions.size()));
  for (const Phase& phase : make_phases(call.kind, spec.schedule, orders.front())) {
    const GroupDimension& dimension = layout.dimension(phase.dimension);
    const NamedAlgorithm& algorithm = algorithm_on(spec, dimension.level);
    if (!algorithm.supports(phase.kind, dimension.size)) return CommunicationCost();
    LevelSpec level = level_alone(topology, dimension.level, dimension.size);
    if (level.kind == LevelKind::switched)
      level.latency += latency_inside(layout, phase.dimension, topology);
    cost.add_latency(dimension.level,
                     latency_alone(level, system, algorithm, spec.protocol, phase.kind));
    Bytes part = PieceSizes(call.size, chunks).size(0);
    for (const int d : phase.scattered)
      part = PieceSizes(part, layout.dimensions[static_cast<std::size_t>(d)].size).size(0);
    Share& share = shares[static_cast<std::size_t>(dimension.level)];
    share = part_of(share, share_between_nodes(spec.in_turn, phase, sizes));
    passing[static_cast<std::size_t>(dimension.level)] +=
        passing_on(level, system, algorithm, spec.protocol, phase.kind, part);
  }
  const std::vector<Duration> carried =
      bandwidth_by_level(call, spec, system.minimum_chunk, family, topology);
  for (int level = 0; level < static_cast<int>(carried.size()); ++level) {
    const auto index = static_cast<std::size_t>(level);
    const Duration of_port = whole_of(
        on_the_wire(
            while_all_send(carried[index], topology.levels()[index].bandwidth, crossing[index]),
            find_cost(system.protocols, spec.protocol, algorithm_on(spec, level).name,
                      place_of(topology.levels(), index))),
        shares[index]);
    const Duration of_chunk{of_port.value / chunks};
    cost.add_carried(held_at(level, topology, crossing),
                     of_port + std::max(Duration{}, passing[index] - of_chunk));
  }
  add_joined_levels(cost, call, spec, layout, topology, crossing);
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
  cost.add_carried(topology.port_level(slowest),
                   transfer_time(size, topology.levels()[slowest].bandwidth));
  return cost;
}

}  // namespace orrery
