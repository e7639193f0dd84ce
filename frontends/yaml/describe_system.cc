#include "frontends/yaml/describe_system.h"

#include <fmt/format.h>

#include "core/base/config_error.h"
#include "frontends/custom/custom_algorithm.h"
#include "frontends/yaml/input_files.h"

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
  for (const DimensionOrder& order : orders_of(schedule, levels))
    for (const Phase& phase : make_phases(kind, schedule, order)) {
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
    if (is_automatic(wanted)) return wanted;
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

void check_count(Reader& keys, std::string_view key, const std::vector<NamedAlgorithm>& algorithms,
                 HierarchicalSchedule schedule, const TopologySpec& topology) {
  const std::size_t count = algorithms.size(), levels = topology.levels.size();
  if (count <= 1) return;
  for (std::size_t i = 0; i < count; ++i)
    if (algorithms[i] == kAutomatic)
      return keys.wrong_item(key, i, "auto chooses for all levels",
                             "write it alone, or names only");
  if (schedule == HierarchicalSchedule::flat) {
    keys.wrong(key, fmt::format("{} algorithms for a flat schedule", count),
               "write a single one: it runs over all ranks at once");
    return;
  }
  if (count == levels) return;
  keys.wrong(key,
             fmt::format("{} algorithms for {} level{}", count, levels, levels == 1 ? "" : "s"),
             "write one name for each level, innermost first, or a single one for all");
}

std::optional<NamedAlgorithm> read_custom(Reader& keys, Collective kind, const std::string& custom,
                                          Bytes size, HierarchicalSchedule schedule,
                                          const TopologySpec& topology) {
  const YamlNode& node = *keys.find("custom");
  if (const YamlNode* other = keys.find("algorithms")) {
    const bool from_file = node.place.source->is_file,
               other_from_file = other->place.source->is_file;
    if (from_file && !other_from_file) return std::nullopt;
    if (from_file == other_from_file) {
      keys.wrong("custom", "\"custom\" and \"algorithms\" exclude each other",
                 "remove one of them");
      return std::nullopt;
    }
  }
  if (topology.levels.size() != 1 && schedule != HierarchicalSchedule::flat) {
    keys.wrong(
        "custom",
        fmt::format("a custom algorithm goes over all ranks at once, and the platform has {} "
                    "levels, which the schedule {} takes one by one",
                    topology.levels.size(), name_of(schedule)),
        "add schedule: flat");
    return std::nullopt;
  }
  if (!names_custom_algorithm(custom)) {
    keys.wrong("custom", in_quotes(custom) + " is neither XML nor a Chakra trace",
               "name a file that ends with .xml or .et");
    return std::nullopt;
  }
  if (custom.ends_with(".et") && size == Bytes{}) {
    keys.wrong("custom", "the messages of a graph have sizes of their own",
               "say with custom_size how large a collective they were made for");
    return std::nullopt;
  }
  try {
    const std::string path = resolved_path(node);
    const CustomAlgorithm read = read_custom_algorithm(keys.texts(), path, kind, size);
    keys.record("custom contents", hash_of_custom_algorithm(keys.texts(), path), path,
                "hash of the file (FNV-1a, 64 bits)");
    const int ranks = size_at(schedule, topology, 0);
    if (read.kind == kind && read.ranks == ranks) return NamedAlgorithm(custom, read.algorithm);
    keys.wrong("custom",
               fmt::format("{} does the {} of {} ranks, and this is the {} of {}",
                           in_quotes(custom), name_of(read.kind), read.ranks, name_of(kind), ranks),
               "name a file that was made for that");
  } catch (const ConfigError& error) {
    keys.wrong_elsewhere(error);
  }
  return std::nullopt;
}

namespace {

void check_support(Reader& keys, std::string_view key, Collective kind, const CollectiveSpec& spec,
                   const TopologySpec& topology) {
  for (std::size_t level = 0; level < choices(spec.schedule, topology); ++level) {
    const NamedAlgorithm& chosen = algorithm_at(spec.algorithms, level);
    const LevelSpec& platform_level = topology.levels[level];
    if (!level_suits(chosen, platform_level)) {
      return keys.wrong_item(
          "algorithms", level,
          fmt::format("{} needs a switch that adds, which level {} ({}) does not have", chosen.name,
                      level, platform_level.name),
          "write in_network_reduction: true for that level if its switches can, or choose another "
          "algorithm for it");
    }
    const std::string_view needed = first_unsupported(chosen, kind, spec.schedule, topology, level);
    if (needed.empty()) continue;
    std::string able;
    for (const AlgorithmEntry& entry : builtin_algorithms()) {
      const bool fits =
          first_unsupported(entry.name, kind, spec.schedule, topology, level).empty() &&
          level_suits(entry.name, platform_level);
      if (fits) able += fmt::format("{}{}", able.empty() ? "" : ", ", entry.name);
    }
    return keys.wrong_item(key, level,
                           fmt::format("{} cannot do the {} of level {} (size {})", chosen.name,
                                       needed, level, size_at(spec.schedule, topology, level)),
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
  check_count(keys, key, spec.algorithms, spec.schedule, topology);
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
