#include "frontends/yaml/describe_system.h"

#include <fmt/format.h>

#include "system/collective/phases.h"
#include "system/collective_algorithm.h"

namespace orrery::yaml {

namespace {

// The algorithm that holds for a level.
const NamedAlgorithm& algorithm_at(const std::vector<NamedAlgorithm>& algorithms,
                                   std::size_t level) {
  return algorithms.size() == 1 ? algorithms[0] : algorithms[level];
}

// How many algorithms there are to choose: a flat schedule has one for all levels, which stands at
// level 0.
std::size_t choices(HierarchicalSchedule schedule, const TopologySpec& topology) {
  return schedule == HierarchicalSchedule::flat ? 1 : topology.levels.size();
}

// Ranks that run an algorithm together.
int size_at(HierarchicalSchedule schedule, const TopologySpec& topology, std::size_t level) {
  if (schedule != HierarchicalSchedule::flat) return topology.levels[level].size;
  int ranks = 1;
  for (const LevelSpec& spec : topology.levels) ranks *= spec.size;
  return ranks;
}

// The first thing that `algorithm` cannot do on a level; "" if it can do all.
std::string_view first_unsupported(const NamedAlgorithm& algorithm, Collective kind,
                                   HierarchicalSchedule schedule, const TopologySpec& topology,
                                   std::size_t level) {
  const int levels = static_cast<int>(topology.levels.size());
  for (const Phase& phase : make_phases(kind, schedule, levels)) {
    if (phase.dimension != kWhole && phase.dimension != static_cast<int>(level)) continue;
    if (!algorithm.supports(phase.kind, size_at(schedule, topology, level)))
      return name_of(phase.kind);
  }
  return "";
}

}  // namespace

std::vector<NamedAlgorithm> fallback_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const CollectiveDefaults& defaults,
                                                const TopologySpec& topology, std::string& origin) {
  const std::vector<NamedAlgorithm>& wanted = defaults.algorithms.values;
  origin = "default";
  const std::size_t count = choices(schedule, topology);
  if (wanted.size() == 1 || wanted.size() == count) {
    origin = defaults.algorithms_origin;
    for (std::size_t level = 0; level < count; ++level) {
      const NamedAlgorithm& algorithm = algorithm_at(wanted, level);
      if (first_unsupported(algorithm, kind, schedule, topology, level).empty()) continue;
      origin = fmt::format("default ({} cannot do it)", algorithm.name);
      break;
    }
    if (!origin.starts_with("default")) return wanted;
  }
  std::vector<NamedAlgorithm> chosen;
  for (std::size_t level = 0; level < count; ++level) {
    const bool direct = kind == Collective::all_to_all ||
                        topology.levels[level].kind == LevelKind::fully_connected ||
                        !first_unsupported("ring", kind, schedule, topology, level).empty();
    if (kind == Collective::barrier)
      chosen.emplace_back("dissemination");
    else
      chosen.emplace_back(direct ? "direct" : "ring");
  }
  return chosen;
}

void check_count(Reader& keys, const OneOrMore<NamedAlgorithm>& algorithms,
                 HierarchicalSchedule schedule, const TopologySpec& topology) {
  const std::size_t count = algorithms.values.size(), levels = topology.levels.size();
  if (count <= 1) return;
  if (schedule == HierarchicalSchedule::flat) {
    keys.wrong("algorithms", fmt::format("{} algorithms for a flat schedule", count),
               "write a single one: it runs over all ranks at once");
    return;
  }
  if (count == levels) return;
  keys.wrong("algorithms",
             fmt::format("{} algorithms for {} level{}", count, levels, levels == 1 ? "" : "s"),
             "write one name for each level, innermost first, or a single one for all");
}

void check_support(Reader& keys, Collective kind, const CollectiveSpec& spec,
                   const TopologySpec& topology) {
  for (std::size_t level = 0; level < choices(spec.schedule, topology); ++level) {
    const NamedAlgorithm& chosen = algorithm_at(spec.algorithms, level);
    const std::string_view needed = first_unsupported(chosen, kind, spec.schedule, topology, level);
    if (needed.empty()) continue;
    std::string able;
    for (const AlgorithmEntry& entry : builtin_algorithms()) {
      const bool fits = first_unsupported(entry.name, kind, spec.schedule, topology, level).empty();
      if (fits) able += fmt::format("{}{}", able.empty() ? "" : ", ", entry.name);
    }
    return keys.wrong_item("algorithms", level,
                           fmt::format("{} cannot do the {} of level {} (size {})", chosen.name,
                                       needed, level, size_at(spec.schedule, topology, level)),
                           "these can: " + able);
  }
}

}  // namespace orrery::yaml
