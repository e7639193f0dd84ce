#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/quoted.h"
#include "network/problems.h"
#include "network/topology/memory_needed.h"

namespace orrery {

namespace {

// Links that leave one NPU of a level, switch ports not counted.
std::int64_t links_of_npu(const LevelSpec& level) {
  switch (level.kind) {
    case LevelKind::ring:
    case LevelKind::mesh:
    case LevelKind::switched:
    case LevelKind::graph:
      return 2;
    case LevelKind::fully_connected:
      return level.size - 1;
  }
  return 0;
}

void check_names(SpecProblems& problems, const std::vector<LevelSpec>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string& name = levels[i].name;
    if (name.empty()) continue;
    if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
      problems.push_back({item_key("levels", i),
                          "the name " + in_quotes(name) + " looks like an index",
                          "choose a name with a letter"});
    const auto first = std::ranges::find(levels, name, &LevelSpec::name) - levels.begin();
    if (static_cast<std::size_t>(first) < i)
      problems.push_back({item_key("levels", i), "the name " + in_quotes(name) + " is taken",
                          fmt::format("level {} has it", first)});
  }
}

void check_sizes(SpecProblems& problems, const std::vector<LevelSpec>& levels) {
  constexpr std::int64_t links_at_most = 1 << 26;  // 2 GiB of Link
  std::int64_t npus = 1, links_each = 0;
  for (const LevelSpec& level : levels) {
    npus *= level.size;
    links_each += links_of_npu(level);
    if (npus > npus_at_most)
      return problems.push_back(
          {"levels", fmt::format("the sizes multiply to more than {} NPUs", npus_at_most),
           "make a level smaller or leave one out"});
  }
  if (npus * links_each > links_at_most)
    return problems.push_back({"levels",
                               fmt::format("{} NPUs with {} links each are more than {} links",
                                           npus, links_each, links_at_most),
                               "make a fully connected level smaller, or a switch"});
  if (const std::string why = why_no_memory(npus, npus * links_each); !why.empty())
    problems.push_back({"levels", why, "make a level smaller, or use a machine with more memory"});
}

}  // namespace

SpecProblems problems_of(const LevelSpec& level) {
  SpecProblems problems;
  check_at_least(problems, "size", level.size, 2);
  if (level.bandwidth <= Bandwidth{})
    problems.push_back({"bandwidth", "its links have none", "it must be greater than 0"});
  if (level.latency < Duration{})
    problems.push_back({"latency", "it is below 0", "it must be at least 0"});
  if (level.in_network_reduction && level.kind != LevelKind::switched)
    problems.push_back(
        {"in_network_reduction",
         fmt::format("a level of kind {} has no switch that could add", name_of(level.kind)),
         "leave it out, or write kind: switch"});
  return problems;
}

SpecProblems problems_of(const TopologySpec& topology) {
  if (topology.levels.empty()) return {{"levels", "there is no level", "a platform has one"}};
  SpecProblems problems;
  for (std::size_t i = 0; i < topology.levels.size(); ++i)
    add_below(problems, item_key("levels", i), problems_of(topology.levels[i]));
  if (!problems.empty() || topology.graph != nullptr) return problems;  // its builder has rules
  check_names(problems, topology.levels);
  check_sizes(problems, topology.levels);
  return problems;
}

}  // namespace orrery
