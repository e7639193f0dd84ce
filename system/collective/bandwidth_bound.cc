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

// How many ports of a rank on this level the plan ever sends through, at most; all of them if
// looking at every send of the plan would take long.
std::int32_t ports_used(const Plan& plan, const GroupDimension& dimension,
                        const Topology& topology) {
  const std::int32_t ports = topology.ports(dimension.level);
  std::set<std::int32_t> used;
  std::int64_t patience = 1'000'000;
  for (Position rank = 0; rank < dimension.size; ++rank)
    for (int lane = 0; lane < plan.lanes(); ++lane)
      for (int index = 0;; ++index) {
        const Stage stage = plan.stage(rank, lane, index);
        patience -= 1 + stage.sends;
        if (static_cast<std::int32_t>(used.size()) == ports || patience < 0) return ports;
        for (int i = 0; i < stage.sends; ++i)
          used.insert(
              topology.egress_port(dimension.level, rank, plan.send(rank, lane, index, i).to));
        if (stage.last) break;
      }
  return static_cast<std::int32_t>(used.size());
}

}  // namespace

Duration bandwidth_bound(Bytes size, Collective kind, const CollectiveSpec& spec,
                         const GroupFamily& family, const Topology& topology) {
  const auto& dimensions = family.dimensions();
  std::vector<Duration> time_on(topology.levels().size());
  for (const Phase& phase : make_phases(kind, spec.schedule, static_cast<int>(dimensions.size()))) {
    const GroupDimension& dimension = dimensions[phase.dimension];
    const auto algorithm = find_algorithm(algorithm_on(spec, dimension.level));
    if (algorithm == nullptr || !algorithm->supports(phase.kind, dimension.size)) return {};
    std::int64_t parts = 1;
    for (int d = 0; d < phase.scattered; ++d) parts *= dimensions[d].size;
    // Rounded down: a bound must not exceed the mean. 64 bits hold 40 TB over 100,000 ranks.
    const Bytes bytes{size.value * parts_at_port(phase.kind, dimension.size) /
                      (dimension.size * parts)};
    const auto plan = algorithm->plan(phase.kind, dimension.size, 0);
    const Bandwidth bandwidth =
        topology.levels()[dimension.level].bandwidth * ports_used(*plan, dimension, topology);
    time_on[dimension.level] += transfer_time(bytes, bandwidth);
  }
  return *std::max_element(time_on.begin(), time_on.end());
}

}  // namespace orrery
