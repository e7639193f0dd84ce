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

// The first thing that `algorithm` cannot do on a level; "" if it can do all.
std::string_view first_unsupported(const NamedAlgorithm& algorithm, Collective kind,
                                   HierarchicalSchedule schedule, const TopologySpec& topology,
                                   std::size_t level) {
  const int levels = static_cast<int>(topology.levels.size());
  for (const Phase& phase : make_phases(kind, schedule, levels)) {
    if (phase.dimension != static_cast<int>(level)) continue;
    if (!algorithm.supports(phase.kind, topology.levels[level].size)) return name_of(phase.kind);
  }
  return "";
}

}  // namespace

std::vector<NamedAlgorithm> fallback_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const CollectiveDefaults& defaults,
                                                const TopologySpec& topology, std::string& origin) {
  const std::vector<NamedAlgorithm>& wanted = defaults.algorithms.values;
  origin = "default";
  if (!wanted.empty()) {
    origin = defaults.algorithms_origin;
    for (std::size_t level = 0; level < topology.levels.size(); ++level) {
      const NamedAlgorithm& algorithm = algorithm_at(wanted, level);
      if (first_unsupported(algorithm, kind, schedule, topology, level).empty()) continue;
      origin = fmt::format("default ({} cannot do it)", algorithm.name);
      break;
    }
    if (!origin.starts_with("default")) return wanted;
  }
  std::vector<NamedAlgorithm> chosen;
  for (std::size_t level = 0; level < topology.levels.size(); ++level) {
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

void check_count(Reader& keys, std::string_view key, const std::vector<NamedAlgorithm>& algorithms,
                 const TopologySpec& topology) {
  const std::size_t count = algorithms.size(), levels = topology.levels.size();
  for (std::size_t i = 0; i < count && count > 1; ++i)
    if (algorithms[i] == kAutomatic)
      return keys.wrong_item(key, i, "auto chooses for all levels",
                             "write it alone, or names only");
  if (count <= 1 || count == levels) return;
  keys.wrong(key,
             fmt::format("{} algorithms for {} level{}", count, levels, levels == 1 ? "" : "s"),
             "write one name for each level, innermost first, or a single one for all");
}

namespace {

void check_support(Reader& keys, std::string_view key, Collective kind, const CollectiveSpec& spec,
                   const TopologySpec& topology) {
  for (std::size_t level = 0; level < topology.levels.size(); ++level) {
    const NamedAlgorithm& chosen = algorithm_at(spec.algorithms, level);
    const std::string_view needed = first_unsupported(chosen, kind, spec.schedule, topology, level);
    if (needed.empty()) continue;
    std::string able;
    for (const AlgorithmEntry& entry : builtin_algorithms()) {
      const bool fits = first_unsupported(entry.name, kind, spec.schedule, topology, level).empty();
      if (fits) able += fmt::format("{}{}", able.empty() ? "" : ", ", entry.name);
    }
    return keys.wrong_item(key, level,
                           fmt::format("{} cannot do the {} of level {} (size {})", chosen.name,
                                       needed, level, topology.levels[level].size),
                           "these can: " + able);
  }
}

void check_protocol(Reader& keys, const CollectiveSpec& spec, const SystemSpec& system) {
  if (spec.protocol == Protocol::none) return;
  if (system.protocols.empty())
    return keys.wrong_map(
        fmt::format("protocol {}: nothing says what it costs", name_of(spec.protocol)),
        "give system.protocols, or use a platform that has it, such as "
        "dgx-h100-nccl");
  if (spec.protocol == Protocol::automatic) return;
  for (const NamedAlgorithm& algorithm : spec.algorithms)
    if (algorithm != kAutomatic &&
        find_cost(system.protocols, spec.protocol, algorithm.name) == nullptr)
      return keys.wrong_map(fmt::format("system.protocols has no cost of {} for {}",
                                        name_of(spec.protocol), algorithm.name),
                            "add a row for it, or one without `algorithm`");
}

}  // namespace

void check_algorithms(Reader& keys, std::string_view key, Collective kind,
                      const CollectiveSpec& spec, const SystemSpec& system,
                      const TopologySpec& topology) {
  check_count(keys, key, spec.algorithms, topology);
  if (keys.clean() && !is_automatic(spec.algorithms))
    check_support(keys, key, kind, spec, topology);
  if (keys.clean()) check_protocol(keys, spec, system);
}

void check_ranges(Reader& keys, const std::vector<SizeRange>& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    if (!ranges[i].below)
      return keys.wrong_item("ranges", i, "a range without `below` hides those after it",
                             "give it a limit, or make it the last one");
    if (ranges[i + 1].below && *ranges[i + 1].below <= *ranges[i].below)
      return keys.wrong_item("ranges", i + 1, "the ranges do not ascend",
                             "order them by `below`, the smallest first");
  }
}

void check_cost(Reader& keys, const ProtocolCost& cost) {
  if (cost.protocol == Protocol::none || cost.protocol == Protocol::automatic)
    keys.wrong("protocol", fmt::format("{} has no costs", name_of(cost.protocol)),
               "write simple, ll or ll128");
  if (cost.efficiency.part == 0)
    keys.wrong("efficiency", "a wire that carries no data never ends", "write more than 0 %");
}

void check_tax(Reader& keys, Share tax) {
  if (tax.part < tax.whole) return;
  keys.wrong("sm_tax", "collectives that take all of the processor let no compute end",
             "leave some, for example \"20/132\"");
}

}  // namespace orrery::yaml
