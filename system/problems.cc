#include "system/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "system/collective/capability.h"

namespace orrery {

namespace {

// The algorithm that holds for a level.
const NamedAlgorithm& algorithm_at(const std::vector<NamedAlgorithm>& algorithms,
                                   std::size_t level) {
  return algorithms.size() == 1 ? algorithms[0] : algorithms[level];
}

std::string able(Collective kind, HierarchicalSchedule schedule, const TopologySpec& topology,
                 std::size_t level) {
  std::string names;
  for (const AlgorithmEntry& entry : builtin_algorithms()) {
    const bool fits = first_unsupported(entry.name, kind, schedule, topology, level).empty() &&
                      level_suits(entry.name, topology.levels[level]);
    if (fits) names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return names;
}

SpecProblems problems_of_support(std::string_view key, Collective kind, const CollectiveSpec& spec,
                                 const TopologySpec& topology) {
  for (std::size_t level = 0; level < algorithm_choices(spec.schedule, topology); ++level) {
    const NamedAlgorithm& chosen = algorithm_at(spec.algorithms, level);
    const LevelSpec& platform_level = topology.levels[level];
    if (chosen.algorithm == nullptr)
      return {{item_key(key, level), fmt::format("{} is no algorithm", chosen.name),
               "these can: " + able(kind, spec.schedule, topology, level)}};
    if (!level_suits(chosen, platform_level))
      return {
          {item_key(key, level),
           fmt::format("{} needs a switch that adds, which level {} ({}) does not have",
                       chosen.name, level, platform_level.name),
           "write in_network_reduction: true for that level if its switches can, or choose another "
           "algorithm for it"}};
    const std::string_view needed = first_unsupported(chosen, kind, spec.schedule, topology, level);
    if (needed.empty()) continue;
    return {{item_key(key, level),
             fmt::format("{} cannot do the {} of level {} (size {})", chosen.name, needed, level,
                         ranks_at(spec.schedule, topology, level)),
             "these can: " + able(kind, spec.schedule, topology, level)}};
  }
  return {};
}

SpecProblems problems_of_protocol(const CollectiveSpec& spec, const SystemSpec& system) {
  if (spec.protocol == Protocol::none) return {};
  if (system.protocols.empty())
    return {{"", fmt::format("protocol {}: nothing says what it costs", name_of(spec.protocol)),
             "name a device that was measured, a library (system.library), or give "
             "system.protocols"}};
  if (spec.protocol == Protocol::automatic) return {};
  for (const NamedAlgorithm& algorithm : spec.algorithms)
    if (algorithm != kAutomatic &&
        find_cost(system.protocols, spec.protocol, algorithm.name) == nullptr)
      return {{"",
               fmt::format("system.protocols has no cost of {} for {}", name_of(spec.protocol),
                           algorithm.name),
               "add a row for it, or one without `algorithm`"}};
  return {};
}

}  // namespace

SpecProblems problems_of_count(std::string_view key, const std::vector<NamedAlgorithm>& algorithms,
                               HierarchicalSchedule schedule, const TopologySpec& topology) {
  const std::size_t count = algorithms.size(), levels = topology.levels.size();
  if (count <= 1) return {};
  for (std::size_t i = 0; i < count; ++i)
    if (algorithms[i] == kAutomatic)
      return {{item_key(key, i), "auto chooses for all levels", "write it alone, or names only"}};
  if (schedule == HierarchicalSchedule::flat)
    return {{std::string(key), fmt::format("{} algorithms for a flat schedule", count),
             "write a single one: it runs over all ranks at once"}};
  if (count == levels) return {};
  return {{std::string(key),
           fmt::format("{} algorithms for {} level{}", count, levels, levels == 1 ? "" : "s"),
           "write one name for each level, innermost first, or a single one for all"}};
}

SpecProblems problems_of_algorithms(std::string_view key, Collective kind,
                                    const CollectiveSpec& spec, const SystemSpec& system,
                                    const TopologySpec& topology) {
  if (spec.algorithms.empty()) return {{std::string(key), "there is no algorithm", "name one"}};
  SpecProblems problems = problems_of_count(key, spec.algorithms, spec.schedule, topology);
  if (problems.empty() && !is_automatic(spec.algorithms))
    problems = problems_of_support(key, kind, spec, topology);
  if (problems.empty()) problems = problems_of_protocol(spec, system);
  return problems;
}

SpecProblems problems_of(const std::vector<SizeRange>& ranges) {
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    if (!ranges[i].below)
      return {{item_key("ranges", i), "a range without `below` hides those after it",
               "give it a limit, or make it the last one"}};
    if (ranges[i + 1].below && *ranges[i + 1].below <= *ranges[i].below)
      return {{item_key("ranges", i + 1), "the ranges do not ascend",
               "order them by `below`, the smallest first"}};
  }
  return {};
}

SpecProblems problems_of(const CollectiveSpec& spec, Collective kind, const SystemSpec& system,
                         const TopologySpec& topology) {
  SpecProblems problems = problems_of_algorithms("algorithms", kind, spec, system, topology);
  check_at_least(problems, "chunks", spec.chunks, 1);
  for (std::size_t i = 0; i < spec.ranges.size(); ++i)
    add_below(problems, item_key("ranges", i),
              problems_of_algorithms("use", kind, spec.ranges[i].spec, system, topology));
  add_below(problems, "", problems_of(spec.ranges));
  return problems;
}

SpecProblems problems_of(const ChannelSpec& channels) {
  const std::int32_t most = std::max({channels.inside, channels.between, channels.pair});
  if (channels.multiprocessors == 0 || most < channels.multiprocessors) return {};
  return {{"multiprocessors", fmt::format("channels on {} of {}", most, channels.multiprocessors),
           "leave some for computing"}};
}

SpecProblems problems_of(const ProtocolCost& cost) {
  SpecProblems problems;
  if (cost.protocol == Protocol::none || cost.protocol == Protocol::automatic)
    problems.push_back({"protocol", fmt::format("{} has no costs", name_of(cost.protocol)),
                        "write simple, ll, ll128 or nvls"});
  if (cost.efficiency.part == 0)
    problems.push_back(
        {"efficiency", "a wire that carries no data never ends", "write more than 0 %"});
  return problems;
}

SpecProblems problems_of_tax(Share tax) {
  if (tax.part < tax.whole) return {};
  return {{"sm_tax", "collectives that take all of the processor let no compute end",
           "leave some, for example \"20/132\""}};
}

SpecProblems problems_of(const SystemSpec& system, const TopologySpec& topology,
                         std::span<const Collective> called) {
  SpecProblems problems;
  for (std::size_t i = 0; i < system.protocols.size(); ++i)
    add_below(problems, item_key("protocols", i), problems_of(system.protocols[i]));
  for (const Collective kind : called) {
    const CollectiveSpec& spec = system.collectives[static_cast<std::size_t>(kind)];
    add_below(problems, name_of(kind), problems_of(spec, kind, system, topology));
  }
  check_at_least(problems, "minimum_chunk", system.minimum_chunk.value, 1);
  check_at_least(problems, "first_phase_limit", system.first_phase_limit, 1);
  check_at_least(problems, "queue_limit", system.queue_limit, 1);
  check_at_least(problems, "queues_per_level", system.queues_per_level, 1);
  if (system.queues_per_level > queues_at_most)
    problems.push_back({"queues_per_level", "each rank has so many queues for each level",
                        fmt::format("it must be at most {}", queues_at_most)});
  check_at_least(problems, "overlap_limit", system.overlap_limit.value_or(1), 1);
  add_below(problems, "", problems_of_tax(system.sm_tax));
  add_below(problems, "channels", problems_of(system.channels));
  if (system.remote_memory) {
    const RemoteMemorySpec& memory = *system.remote_memory;
    check_at_least(problems, "remote_memory.npus", memory.npus, 0);
    check_at_least(problems, "remote_memory.latency", memory.latency.value, 0);
    check_at_least(problems, "remote_memory.bandwidth", memory.bandwidth.value, 1);
  }
  return problems;
}

}  // namespace orrery
