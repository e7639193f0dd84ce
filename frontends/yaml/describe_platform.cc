#include "frontends/yaml/describe_platform.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/topology/memory_needed.h"

namespace orrery::yaml {

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

void check_level_names(Reader& topology, const std::vector<LevelSpec>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string& name = levels[i].name;
    if (name.empty()) continue;
    if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      topology.wrong_item("levels", i, "the name " + in_quotes(name) + " looks like an index",
                          "choose a name with a letter");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (levels[j].name != name) continue;
      topology.wrong_item("levels", i, "the name " + in_quotes(name) + " is taken",
                          fmt::format("level {} has it", j));
    }
  }
}

}  // namespace

void check_in_network_reduction(Reader& keys, const LevelSpec& level) {
  if (!level.in_network_reduction || level.kind == LevelKind::switched || !keys.clean()) return;
  keys.wrong("in_network_reduction",
             fmt::format("a level of kind {} has no switch that could add", name_of(level.kind)),
             "leave it out, or write kind: switch");
}

void check_levels(Reader& topology, const std::vector<LevelSpec>& levels) {
  if (!topology.clean()) return;
  check_level_names(topology, levels);
  constexpr std::int64_t links_at_most = 1 << 26;  // 2 GiB of Link
  std::int64_t npus = 1, links_each = 0;
  for (const LevelSpec& level : levels) {
    npus *= level.size;
    links_each += links_of_npu(level);
    if (npus > npus_at_most) {
      return topology.wrong("levels",
                            fmt::format("the sizes multiply to more than {} NPUs", npus_at_most),
                            "make a level smaller or leave one out");
    }
  }
  if (npus * links_each > links_at_most)
    return topology.wrong("levels",
                          fmt::format("{} NPUs with {} links each are more than {} links", npus,
                                      links_each, links_at_most),
                          "make a fully connected level smaller, or a switch");
  if (const std::string why = why_no_memory(npus, npus * links_each); !why.empty())
    topology.wrong("levels", why, "make a level smaller, or use a machine with more memory");
}

}  // namespace orrery::yaml
