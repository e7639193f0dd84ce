#include "system/collective/bandwidth_bound.h"

#include <algorithm>
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

// What the phases over one level need there.
struct LevelLoad {
  std::int64_t bytes = 0;        // at the busiest rank
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

// The bytes of every step-th of `count` chunks from `first` on.
Bytes chunks_in_turn(const PieceSizes& chunks, std::int32_t count, std::size_t first,
                     std::size_t step) {
  Bytes sum;
  for (std::size_t i = first; i < static_cast<std::size_t>(count); i += step)
    sum += chunks.size(static_cast<std::int32_t>(i));
  return sum;
}

// What the rank that has most of it to do sends or receives in one phase of an all-to-allv, behind
// the dimensions of `done`.
Bytes busiest_of_phase(const CollectiveCall& call, const GroupLayout& layout, int dimension,
                       std::span<const int> done) {
  std::vector<std::int32_t> shape;
  for (const GroupDimension& one : layout.dimensions) shape.push_back(one.size);
  const std::int32_t size = shape[dimension];
  Bytes busiest;
  for (Position member = 0; member < layout.whole.size; ++member) {
    const PartSizes parts(call.pair_sizes, {shape, dimension, done, member}, 0, 1);
    const std::int32_t own = layout.dimensions[dimension].coordinate(member);
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

// size * factor / parts, rounded down (a bound must not exceed the mean), without overflow.
std::int64_t fraction(Bytes size, std::int64_t factor, std::int64_t parts) {
  return size.value / parts * factor + size.value % parts * factor / parts;
}

}  // namespace

Duration bandwidth_bound(const CollectiveCall& call, const SystemSpec& system,
                         const GroupFamily& family, const Topology& topology) {
  const CollectiveSpec& spec = system.collectives[static_cast<int>(call.kind)];
  const GroupLayout& layout = family.layouts().front();
  const auto& dimensions = layout.dimensions;
  if (call.pair_sizes && layout.whole.size > 4096) return {};
  std::vector<LevelLoad> loads(topology.levels().size());
  const auto orders = orders_of(spec.schedule, static_cast<int>(dimensions.size()));
  const std::int32_t chunks = chunk_count(call.size, spec.chunks, system.minimum_chunk);
  for (std::size_t order = 0; order < orders.size(); ++order) {
    const Bytes share = chunks_in_turn(PieceSizes(call.size, chunks), chunks, order, orders.size());
    std::vector<int> done;
    for (const Phase& phase : make_phases(call.kind, spec.schedule, orders[order])) {
      const GroupDimension& dimension = dimensions[phase.dimension];
      const NamedAlgorithm& named = algorithm_on(spec, dimension.level);
      if (!named.supports(phase.kind, dimension.size)) return {};
      const CollectiveAlgorithm& algorithm = *named.algorithm;
      std::int64_t parts = dimension.size;
      for (const int d : phase.scattered) parts *= dimensions[d].size;
      LevelLoad& load = loads[dimension.level];
      if (call.pair_sizes) {
        const Bytes busiest = busiest_of_phase(call, layout, phase.dimension, done);
        load.bytes += fraction(busiest, share.value, std::max<std::int64_t>(1, call.size.value));
      } else {
        load.bytes += fraction(
            share, parts_at_port(phase.kind, dimension.size, algorithm.needs_reducing_switch()),
            parts);
      }
      done.push_back(phase.dimension);
      const Members members{family.line(family.first_base(), 0, dimension), dimension};
      for (int variant = 0; variant < algorithm.variants(); ++variant)
        note_ports(*algorithm.plan(phase.kind, layout.shape_of(dimension), variant), members,
                   topology, load.ports);
    }
  }
  Duration bound;
  for (std::size_t level = 0; level < loads.size(); ++level) {
    if (loads[level].bytes == 0) continue;
    const auto ports = static_cast<std::int64_t>(loads[level].ports.size());
    bound = std::max(
        bound, transfer_time({loads[level].bytes}, topology.levels()[level].bandwidth * ports));
  }
  return bound;
}

}  // namespace orrery
