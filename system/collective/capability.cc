#include "system/collective/capability.h"

#include <algorithm>

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

bool suits(const NamedAlgorithm& algorithm, Collective kind) {
  return planned_as(kind) != Collective::all_to_all || !algorithm.name.starts_with("ring");
}

std::span<const std::string_view> algorithms_tried(Collective kind) {
  static constexpr std::string_view reductions[] = {"ring", "direct", "recursive_doubling", "pat"},
                                    parts[] = {"ring", "direct", "pat"},
                                    exchanges[] = {"direct", "pairwise", "bruck"},
                                    trees[] = {"binomial_tree", "double_binary_tree", "chain",
                                               "linear", "ring"},
                                    rooted_parts[] = {"direct", "binomial_tree"},
                                    barriers[] = {"dissemination"};
  switch (planned_as(kind)) {
    case Collective::all_reduce:
      return reductions;
    case Collective::broadcast:
    case Collective::reduce:
      return trees;
    case Collective::gather:
    case Collective::scatter:
      return rooted_parts;
    case Collective::barrier:
      return barriers;
    case Collective::all_to_all:
      return exchanges;
    default:
      return parts;
  }
}

bool is_tried(const NamedAlgorithm& algorithm, Collective kind, std::int32_t members) {
  if (!algorithm.supports(kind, members)) return false;
  const bool sends_many = algorithm.name == "linear" || algorithm.name.starts_with("ring");
  if (has_root(kind)) return !sends_many || members <= kMostPeers;
  const auto plan = algorithm.algorithm->plan(planned_as(kind), members, 0);
  if (plan->symmetry() == Symmetry::none) return false;
  const bool connects_all =
      algorithm.name == "direct" && planned_as(kind) != Collective::all_to_all;
  return !connects_all || members <= kMostPeers;
}

bool is_in_libraries(const NamedAlgorithm& algorithm, Collective kind, bool inside_server) {
  if (kind > Collective::all_gather) return algorithm.name != "linear";
  if (algorithm.name == "pat" || algorithm.name == "recursive_doubling") return !inside_server;
  return algorithm.name != "direct";
}

std::vector<HierarchicalSchedule> schedules_tried(Collective kind,
                                                  const std::vector<LevelSpec>& levels) {
  std::vector<HierarchicalSchedule> tried = {HierarchicalSchedule::baseline,
                                             HierarchicalSchedule::local_bandwidth_aware};
  const bool of_neighbours = std::ranges::all_of(levels, [](const LevelSpec& level) {
    return level.kind == LevelKind::ring || level.kind == LevelKind::mesh;
  });
  const bool in_parts =
      kind <= Collective::all_gather || kind == Collective::gather || kind == Collective::scatter;
  if (of_neighbours && in_parts) tried.push_back(HierarchicalSchedule::torus);
  if (of_neighbours && kind <= Collective::all_gather)
    tried.push_back(HierarchicalSchedule::themis);
  return tried;
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
