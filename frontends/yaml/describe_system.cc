#include "frontends/yaml/describe_system.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "formats/custom/custom_algorithm.h"
#include "frontends/yaml/input_files.h"
#include "system/collective/capability.h"
#include "system/collective/named_algorithms.h"

namespace orrery::yaml {

std::vector<NamedAlgorithm> fallback_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                bool open, const CollectiveDefaults& defaults,
                                                const TopologySpec& topology, std::string& origin) {
  const std::vector<NamedAlgorithm>& wanted = defaults.algorithms.values;
  origin = "default";
  if (wanted.empty() && schedule != HierarchicalSchedule::flat) return {kAutomatic};
  if (wanted.size() == 1 || wanted.size() == algorithm_choices(schedule, topology)) {
    origin = defaults.algorithms_origin;
    if (is_automatic(wanted)) return wanted;
    CollectiveSpec spec;
    spec.schedule = schedule;
    spec.algorithms = wanted;
    complete_named(spec, open, kind, topology);
    const bool able = can_do(spec, kind, topology);
    const auto misfit = std::ranges::find_if(
        wanted, [&](const NamedAlgorithm& algorithm) { return !suits(algorithm, kind); });
    if (able && misfit == wanted.end()) return wanted;
    origin = able ? fmt::format("default ({} does not suit it)", misfit->name)
                  : fmt::format("default ({} cannot do it)", names_of(wanted, "+"));
  }
  return suitable_algorithms(kind, schedule, topology);
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
    const int ranks = ranks_at(schedule, topology, 0);
    if (read.kind == kind && read.ranks == ranks) return NamedAlgorithm(custom, read.algorithm);
    keys.wrong("custom",
               fmt::format("{} does the {} of {} ranks, and this is the {} of {}",
                           in_quotes(custom), name_of(read.kind), read.ranks, name_of(kind), ranks),
               "name a file that was made for that");
  } catch (const ConfigError& error) {
    keys.wrong_elsewhere(error);
  } catch (const IoError& error) {
    keys.wrong("custom", error.what(), unreadable_remedy);
  }
  return std::nullopt;
}

}  // namespace orrery::yaml
