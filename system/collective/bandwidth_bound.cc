#include "system/collective/bandwidth_bound.h"

#include <algorithm>
#include <set>
#include <vector>

#include "system/collective/phases.h"

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
  const auto missing = [&] { return static_cast<std::int32_t>(used.size()) < ports; };
  const bool seen = visit_sends(plan, members, [&](NodeId from, NodeId to, std::int32_t) {
    used.insert(topology.egress_port(level, topology.coordinate(from, level),
                                     topology.coordinate(to, level)));
    return missing();
  });
  if (seen) return;
  for (std::int32_t port = 0; port < ports; ++port) used.insert(port);
}

}  // namespace

Duration bandwidth_bound(Bytes size, Collective kind, const CollectiveSpec& spec,
                         const GroupFamily& family, const Topology& topology) {
  const GroupLayout& layout = family.layouts().front();
  const auto& dimensions = layout.dimensions;
  std::vector<LevelLoad> loads(topology.levels().size());
  for (const Phase& phase : make_phases(kind, spec.schedule, static_cast<int>(dimensions.size()))) {
    const GroupDimension& dimension = dimensions[phase.dimension];
    const NamedAlgorithm& named = algorithm_on(spec, dimension.level);
    if (!named.supports(phase.kind, dimension.size)) return {};
    const CollectiveAlgorithm& algorithm = *named.algorithm;
    std::int64_t parts = dimension.size;
    for (int d = 0; d < phase.scattered; ++d) parts *= dimensions[d].size;
    LevelLoad& load = loads[dimension.level];
    // size * factor / parts, rounded down (a bound must not exceed the mean), without overflow.
    const std::int64_t factor = parts_at_port(phase.kind, dimension.size);
    load.bytes += size.value / parts * factor + size.value % parts * factor / parts;
    const Members members{family.line(family.first_base(), 0, dimension), dimension};
    for (int variant = 0; variant < algorithm.variants(); ++variant)
      note_ports(*algorithm.plan(phase.kind, layout.shape_of(dimension), variant), members,
                 topology, load.ports);
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
