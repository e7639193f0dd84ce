#include "system/collective/bandwidth_bound.h"

#include <algorithm>
#include <limits>
#include <set>
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

// What the phases over one level need there.
struct LevelLoad {
  Bytes bytes;                   // at the busiest rank
  std::set<std::int32_t> ports;  // of a rank, that any send goes through
};

// The ranks that a plan is about.
struct Members {
  RankLine ranks;
  GroupDimension dimension;
};

// Calls visit(from, to, pieces) for what the plan sends, rank by rank, until it returns false.
// False if it did, or if looking at all of it would take long.
template <class Visit>
bool visit_sends(const Plan& plan, const Members& members, Visit visit) {
  std::int64_t patience = 1'000'000;
  for (Position position = 0; position < members.dimension.size; ++position)
    for (int lane = 0; lane < plan.lanes(); ++lane)
      for (int index = 0;; ++index) {
        const Stage stage = plan.stage(position, lane, index);
        patience -= 1 + stage.sends;
        if (patience < 0) return false;
        for (int i = 0; i < stage.sends; ++i) {
          const Send send = plan.send(position, lane, index, i);
          const NodeId from{members.ranks.at(position)}, to{members.ranks.at(send.to)};
          if (!visit(from, to, send.pieces.count)) return false;
        }
        if (stage.last) break;
      }
  return true;
}

// Notes the ports that the plan's sends go through; all of them if looking would take long.
void note_ports(const Plan& plan, const Members& members, const Topology& topology,
                std::set<std::int32_t>& used) {
  const int level = members.dimension.level;
  const std::int32_t ports = topology.ports(level);
  if (plan.switches() > 0) {  // there is one way to it
    used.insert(0);
    return;
  }
  const auto missing = [&] { return static_cast<std::int32_t>(used.size()) < ports; };
  const bool seen = visit_sends(plan, members, [&](NodeId from, NodeId to, std::int32_t) {
    used.insert(topology.egress_port(level, topology.coordinate(from, level),
                                     topology.coordinate(to, level)));
    return missing();
  });
  if (seen) return;
  for (std::int32_t port = 0; port < ports; ++port) used.insert(port);
}

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

// What goes through each port of each NPU, in pieces.
class PortLoads {
 public:
  explicit PortLoads(const Topology& topology) : topology_(topology) {
    for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
      const auto ports = static_cast<std::size_t>(topology.npu_count()) * topology.ports(level);
      out_.emplace_back(ports);
      in_.emplace_back(ports);
    }
  }

  // A message loads the first port of its way and the last one, which backends keep busy for all of
  // its time; what it passes in between may be busy for less.
  void add(NodeId from, NodeId to, std::int64_t pieces) {
    int first = -1, last = -1;
    for (int level = 0; level < static_cast<int>(out_.size()); ++level) {
      if (topology_.coordinate(from, level) == topology_.coordinate(to, level)) continue;
      if (first < 0) first = level;
      last = level;
    }
    out_[first][port(first, from, from, to)] += pieces;
    in_[last][port(last, to, from, to)] += pieces;
  }

  std::int64_t busiest(int level) const {
    return std::max(*std::max_element(out_[level].begin(), out_[level].end()),
                    *std::max_element(in_[level].begin(), in_[level].end()));
  }

 private:
  std::size_t port(int level, NodeId owner, NodeId from, NodeId to) const {
    return static_cast<std::size_t>(owner.value) * topology_.ports(level) +
           topology_.egress_port(level, topology_.coordinate(from, level),
                                 topology_.coordinate(to, level));
  }

  const Topology& topology_;
  std::vector<std::vector<std::int64_t>> out_, in_;  // by level, NPU by NPU
};

// For members that are apart on several levels: what the busiest port has to carry, counted send by
// send. If that would take long, what every rank must send through all its ports together.
Duration busiest_port_time(Bytes size, Collective kind, const NamedAlgorithm& algorithm,
                           const GroupShape& group, const Members& members,
                           const Topology& topology) {
  const int variants = algorithm.algorithm->variants();
  PortLoads loads(topology);
  std::int64_t parts = 1;
  bool counted = true;
  for (int variant = 0; variant < variants && counted; ++variant) {
    const auto plan = algorithm.algorithm->plan(kind, group, variant);
    parts = std::int64_t{plan->pieces()} * variants;
    counted = visit_sends(*plan, members, [&](NodeId from, NodeId to, std::int32_t pieces) {
      loads.add(from, to, pieces);
      return true;
    });
  }
  if (kind == Collective::barrier) return {};
  const int levels = static_cast<int>(topology.levels().size());
  Duration bound;
  for (int level = 0; counted && level < levels; ++level)
    bound = std::max(bound, transfer_time(share(size, loads.busiest(level), parts),
                                          topology.levels()[level].bandwidth));
  if (counted) return bound;
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
    std::set<std::int32_t> ports = {0};
    if (spec.schedule == HierarchicalSchedule::themis && dimension.one_level) {
      const NamedAlgorithm& named = algorithm_on(spec, dimension.level);
      const Members members{family.line(base, 0, dimension), dimension};
      if (named.supports(phase, dimension.size)) {
        ports.clear();
        note_ports(*named.algorithm->plan(phase, layout.shape_of(dimension), 0), members, topology,
                   ports);
      }
    }
    rates.push_back({dimension.size, topology.levels()[dimension.level].bandwidth *
                                         static_cast<std::int64_t>(ports.size())});
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
      const std::int64_t parts =
          parts_at_port(phase.kind, dimension.size, named.algorithm->needs_reducing_switch());
      LevelLoad& load =
          loads[dimension.joined ? topology.port_level(dimension.level) : dimension.level];
      load.bytes += has_sizes ? share(busiest_of_phase(call, layout, phase.dimension, done),
                                      size.value, std::max<std::int64_t>(1, call.size.value))
                              : share(size, parts, scattered * dimension.size);
      done.push_back(phase.dimension);
      if (dimension.joined) load.ports.insert(0);
      for (int variant = 0; !dimension.joined && variant < named.algorithm->variants(); ++variant)
        note_ports(*named.algorithm->plan(phase.kind, shape, variant), members, topology,
                   load.ports);
    }
  }
  for (std::size_t level = 0; level < loads.size(); ++level) {
    if (loads[level].bytes == Bytes{}) continue;
    const auto ports = static_cast<std::int64_t>(loads[level].ports.size());
    times[level] =
        std::max(times[level],
                 transfer_time(loads[level].bytes, topology.levels()[level].bandwidth * ports));
  }
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
