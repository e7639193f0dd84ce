#include "system/collective/capability.h"

#include "system/collective/phases.h"

namespace orrery {

std::size_t algorithm_choices(HierarchicalSchedule schedule, const TopologySpec& topology) {
  return schedule == HierarchicalSchedule::flat ? 1 : topology.levels.size();
}

int ranks_at(HierarchicalSchedule schedule, const TopologySpec& topology, std::size_t level) {
  if (schedule != HierarchicalSchedule::flat) return topology.levels[level].size;
  int ranks = 1;
  for (const LevelSpec& spec : topology.levels) ranks *= spec.size;
  return ranks;
}

std::string_view first_unsupported(const NamedAlgorithm& algorithm, Collective kind,
                                   HierarchicalSchedule schedule, const TopologySpec& topology,
                                   std::size_t level) {
  const int levels = static_cast<int>(topology.levels.size());
  for (const DimensionOrder& order : orders_of(schedule, levels))
    for (const Phase& phase : make_phases(kind, schedule, order)) {
      if (phase.dimension != kWhole && phase.dimension != static_cast<int>(level)) continue;
      if (!algorithm.supports(phase.kind, ranks_at(schedule, topology, level)))
        return name_of(phase.kind);
    }
  return "";
}

std::vector<NamedAlgorithm> suitable_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const TopologySpec& topology) {
  std::vector<NamedAlgorithm> chosen;
  for (std::size_t level = 0; level < algorithm_choices(schedule, topology); ++level) {
    const bool direct = planned_as(kind) == Collective::all_to_all ||
                        topology.levels[level].kind == LevelKind::fully_connected ||
                        !first_unsupported("ring", kind, schedule, topology, level).empty();
    if (kind == Collective::barrier)
      chosen.emplace_back("dissemination");
    else
      chosen.emplace_back(direct ? "direct" : "ring");
  }
  return chosen;
}

}  // namespace orrery
