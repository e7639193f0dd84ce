#include "system/collective/bandwidth_bound.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "system/collective/part_sizes.h"
#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"

namespace orrery {
namespace {

// In n-ths of the phase's buffer. A switch that adds takes and gives the whole of it once.
std::int64_t parts_at_port(Collective kind, std::int64_t n, bool in_network) {
  if (in_network && kind != Collective::barrier) return n;
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

// size * factor / parts, rounded down: a bound must not exceed the mean.
Bytes share(Bytes size, std::int64_t factor, std::int64_t parts) {
  const auto wide = static_cast<units_internal::Signed128>(size.value) * factor / parts;
  if (wide > std::numeric_limits<std::int64_t>::max())
    units_internal::leave_range(BytesTag::beyond);
  return {static_cast<std::int64_t>(wide)};
}

// The ranks that a plan is about.
struct Members {
  RankLine ranks;
  GroupDimension dimension;
};

// What plans send through the ports of their members, in pieces.
class PortLoads {
 public:
  PortLoads(const Topology& topology, const Members& members)
      : topology_(topology), members_(members) {
    for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
      const auto ports = static_cast<std::size_t>(members.dimension.size) * topology.ports(level);
      out_.emplace_back(ports);
      in_.emplace_back(ports);
    }
  }

  // Counts all that the plan sends. False, with some of it counted, if that would take long.
  bool count(const Plan& plan) {
    std::int64_t patience = 1'000'000;
    for (Position position = 0; position < members_.dimension.size; ++position)
      for (int lane = 0; lane < plan.lanes(); ++lane)
        for (int index = 0;; ++index) {
          const Stage stage = plan.stage(position, lane, index);
          patience -= 1 + stage.sends;
          if (patience < 0) return false;
          for (int i = 0; i < stage.sends; ++i) {
            const Send send = plan.send(position, lane, index, i);
            add(position, send.to, send.pieces.count);
          }
          if (stage.last) break;
        }
    return true;
  }

  std::int64_t busiest(int level) const {
    return std::max(*std::max_element(out_[level].begin(), out_[level].end()),
                    *std::max_element(in_[level].begin(), in_[level].end()));
  }

  // The most ports of the level that one member sends or receives through.
  std::int32_t ports_of_one(int level) const {
    const auto ports = static_cast<std::ptrdiff_t>(topology_.ports(level));
    std::ptrdiff_t most = 1;
    for (const auto* loads : {&out_[level], &in_[level]})
      for (auto port = loads->begin(); port != loads->end(); port += ports)
        most = std::max(most, ports - std::count(port, port + ports, 0));
    return static_cast<std::int32_t>(most);
  }

  // The pieces at each port of the level.
  std::vector<std::int64_t> at_ports(int level) const {
    std::vector<std::int64_t> all = out_[level];
    all.insert(all.end(), in_[level].begin(), in_[level].end());
    return all;
  }

 private:
  // A message loads the first port of its way and the last one, which backends keep busy for all of
  // its time; what it passes in between may be busy for less.
  void add(Position sender, Position receiver, std::int64_t pieces) {
    const NodeId from{members_.ranks.at(sender)}, to{members_.ranks.at(receiver)};
    int first = -1, last = -1;
    for (int level = 0; level < static_cast<int>(out_.size()); ++level) {
      if (topology_.coordinate(from, level) == topology_.coordinate(to, level)) continue;
      if (first < 0) first = level;
      last = level;
    }
    out_[first][port(first, sender, from, to)] += pieces;
    in_[last][port(last, receiver, from, to)] += pieces;
  }

  std::size_t port(int level, Position owner, NodeId from, NodeId to) const {
    return static_cast<std::size_t>(owner) * topology_.ports(level) +
           topology_.egress_port(level, topology_.coordinate(from, level),
                                 topology_.coordinate(to, level));
  }

  const Topology& topology_;
  const Members& members_;
  std::vector<std::vector<std::int64_t>> out_, in_;  // by level, member by member
};

// What all variants of a phase's algorithm send.
struct PhaseCount {
  PhaseCount(Collective kind, const NamedAlgorithm& named, const GroupShape& group,
             const Members& members, const Topology& topology)
      : loads(topology, members) {
    const int variants = named.algorithm->variants();
    for (int variant = 0; variant < variants && complete; ++variant) {
      const auto plan = named.algorithm->plan(kind, group, variant);
      parts = std::int64_t{plan->pieces()} * variants;
      complete = loads.count(*plan);
    }
  }

  PortLoads loads;
  std::int64_t parts = 1;  // pieces of the phase's buffer
  bool complete = true;
};

// What the rank that has most of it to do sends or receives in one phase of an all-to-allv, behind
// the dimensions of `done`.
Bytes busiest_of_phase(const CollectiveCall& call, const GroupLayout& layout, int dimension,
                       std::span<const int> done) {
  std::vector<std::int32_t> shape;
  for (const GroupDimension& one : layout.dimensions) shape.push_back(one.size);
  if (dimension == kWhole) shape = {layout.whole.size};
  const std::int32_t along = std::max(dimension, 0), size = shape[along];
  Bytes busiest;
  for (Position member = 0; member < layout.whole.size; ++member) {
    const PartSizes parts(call.pair_sizes, {shape, along, done, member}, 0, 1);
    const std::int32_t own = layout.dimension(dimension).coordinate(member);
    Bytes sent, received;
    for (std::int32_t other = 0; other < size; ++other) {
      if (other == own) continue;
      sent += parts.size(own, other, 0, 1);
      received += parts.size(other, own, 0, 1);
    }
    busiest = std::max({busiest, sent, received});
  }
  return busiest;
}

// What the phases over one level need there.
struct LevelLoad {
  void add(Bytes busiest, std::int32_t ports_of_phase) {
    bytes += busiest;
    ports = std::max(ports, ports_of_phase);
  }

  void add(const PhaseCount& count, Bytes buffer, int level) {
    const std::vector<std::int64_t> pieces = count.loads.at_ports(level);
    at_ports.resize(pieces.size());
    for (std::size_t port = 0; port < pieces.size(); ++port)
      at_ports[port] += share(buffer, pieces[port], count.parts);
  }

  Duration time(Bandwidth bandwidth) const {
    Duration longest = transfer_time(bytes, bandwidth * ports);
    for (const Bytes carried : at_ports)
      longest = std::max(longest, transfer_time(carried, bandwidth));
    return longest;
  }

  Bytes bytes;                  // at the busiest rank, of phases whose sends are not counted
  std::int32_t ports = 1;       // through which one rank has them sent or receives them
  std::vector<Bytes> at_ports;  // of the other phases, at each port
};

// Ranks have more than one port of the level; a switch that adds is behind one of them.
bool has_ports_to_choose(const NamedAlgorithm& named, const GroupDimension& dimension,
                         const Topology& topology) {
  return topology.ports(dimension.level) > 1 && !named.algorithm->needs_reducing_switch();
}

// For members that are apart on several levels: what the busiest port has to carry. If counting
// would take long, what every rank must send through all its ports together.
Duration busiest_port_time(Bytes size, Collective kind, const NamedAlgorithm& algorithm,
                           const GroupShape& group, const Members& members,
                           const Topology& topology) {
  const PhaseCount count(kind, algorithm, group, members, topology);
  if (kind == Collective::barrier) return {};
  const int levels = static_cast<int>(topology.levels().size());
  Duration bound;
  for (int level = 0; count.complete && level < levels; ++level)
    bound = std::max(bound, transfer_time(share(size, count.loads.busiest(level), count.parts),
                                          topology.levels()[level].bandwidth));
  if (count.complete) return bound;
  Bandwidth all{};
  for (int level = 0; level < levels; ++level) all += topology.injection_bandwidth(level);
  return transfer_time(share(size, parts_at_port(kind, group.size(), false), group.size()), all);
}

}  // namespace

std::vector<DimensionRate> dimension_rates(Collective kind, const CollectiveSpec& spec,
                                           const GroupFamily& family, const GroupLayout& layout,
                                           const Topology& topology) {
  const Rank base = family.base_with(layout);
  const Collective phase = kind == Collective::all_reduce ? Collective::reduce_scatter : kind;
  std::vector<DimensionRate> rates;
  for (const GroupDimension& dimension : layout.dimensions) {
    std::int32_t ports = 1;
    const NamedAlgorithm& named = algorithm_on(spec, dimension.level);
    if (spec.schedule == HierarchicalSchedule::themis && dimension.one_level &&
        has_ports_to_choose(named, dimension, topology) && named.supports(phase, dimension.size)) {
      const Members members{family.line(base, 0, dimension), dimension};
      PortLoads loads(topology, members);
      ports = loads.count(*named.algorithm->plan(phase, layout.shape_of(dimension), 0))
                  ? loads.ports_of_one(dimension.level)
                  : topology.ports(dimension.level);
    }
    rates.push_back({dimension.size, topology.levels()[dimension.level].bandwidth * ports});
  }
  return rates;
}

std::vector<Duration> bandwidth_by_level(const CollectiveCall& call, const CollectiveSpec& spec,
                                         Bytes minimum_chunk, const GroupFamily& family,
                                         const Topology& topology) {
  std::vector<Duration> times(topology.levels().size());
  const GroupLayout& layout = family.layout(0, call.kind);
  const Rank base = family.base_with(layout);
  const auto& dimensions = layout.dimensions;
  if (call.pair_sizes && layout.whole.size > 4096) return times;
  // The sizes of another number of ranks: the call is refused when it is opened.
  if (call.pair_sizes && call.pair_sizes->ranks() != layout.whole.size) return times;
  std::vector<LevelLoad> loads(topology.levels().size());
  const auto orders = orders_of(spec.schedule, static_cast<int>(dimensions.size()));
  const std::int32_t chunks = chunk_count(call.size, spec.chunks, minimum_chunk);
  const PieceSizes sizes(call.size, chunks);
  const auto order_of =
      orders_of_chunks(call.kind, spec.schedule, call.size, chunks,
                       dimension_rates(call.kind, spec, family, layout, topology));
  for (std::size_t order = 0; order < orders.size(); ++order) {
    Bytes size;
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
      if (order_of[chunk] == static_cast<std::int32_t>(order)) size += sizes.size(chunk);
    std::vector<int> done;
    for (const Phase& phase : make_phases(call.kind, spec.schedule, orders[order])) {
      const GroupDimension& dimension = layout.dimension(phase.dimension);
      const NamedAlgorithm& named = algorithm_on(spec, dimension.level);
      if (!named.supports(phase.kind, dimension.size)) return std::vector<Duration>(times.size());
      const GroupShape& shape = layout.shape_of(dimension);
      const Members members{family.line(base, 0, dimension), dimension};
      std::int64_t scattered = 1;
      for (const int d : phase.scattered) scattered *= dimensions[d].size;
      const bool has_sizes = call.pair_sizes != nullptr;
      const bool one_port = dimension.one_level || dimension.joined;
      if (!one_port && has_sizes) continue;  // nothing is known
      if (!one_port) {
        Duration& time = times[dimension.level];
        time = std::max(time, busiest_port_time(share(size, 1, scattered), phase.kind, named, shape,
                                                members, topology));
        continue;
      }
      LevelLoad& load =
          loads[dimension.joined ? topology.port_level(dimension.level) : dimension.level];
      const std::int64_t parts =
          parts_at_port(phase.kind, dimension.size, named.algorithm->needs_reducing_switch());
      const Bytes busiest = has_sizes
                                ? share(busiest_of_phase(call, layout, phase.dimension, done),
                                        size.value, std::max<std::int64_t>(1, call.size.value))
                                : share(size, parts, scattered * dimension.size);
      done.push_back(phase.dimension);
      if (busiest == Bytes{}) continue;
      if (dimension.joined || !has_ports_to_choose(named, dimension, topology)) {
        load.add(busiest, 1);
        continue;
      }
      const PhaseCount count(phase.kind, named, shape, members, topology);
      if (count.complete && !has_sizes)
        load.add(count, share(size, 1, scattered), dimension.level);
      else
        load.add(busiest, count.complete ? count.loads.ports_of_one(dimension.level)
                                         : topology.ports(dimension.level));
    }
  }
  for (std::size_t level = 0; level < loads.size(); ++level)
    times[level] = std::max(times[level], loads[level].time(topology.levels()[level].bandwidth));
  return times;
}

Duration bandwidth_bound(const CollectiveCall& call, const CollectiveSpec& spec,
                         Bytes minimum_chunk, const GroupFamily& family, const Topology& topology) {
  const std::vector<Duration> times =
      bandwidth_by_level(call, spec, minimum_chunk, family, topology);
  std::vector<Duration> at_ports(times.size());
  for (std::size_t level = 0; level < times.size(); ++level)
    at_ports[static_cast<std::size_t>(topology.port_level(static_cast<int>(level)))] +=
        times[level];
  return std::ranges::max(at_ports);
}

}  // namespace orrery
