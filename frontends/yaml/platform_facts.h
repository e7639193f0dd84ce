// What a workload must agree with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "frontends/yaml/reader.h"
#include "network/topology/topology.h"

namespace orrery::yaml {

struct PlatformFacts {
  bool known = false;  // false while the platform itself is wrong
  std::vector<LevelSpec> levels;
  std::int32_t npus = 0;
};

inline PlatformFacts facts_of(const TopologySpec& topology) {
  std::int32_t npus = 1;
  for (const LevelSpec& level : topology.levels) npus *= level.size;
  return {.known = true, .levels = topology.levels, .npus = npus};
}

// Ranks of a node: what the local levels join, or the innermost level if none is local.
inline std::int32_t node_size(const PlatformFacts& platform) {
  std::int32_t size = 1;
  for (const LevelSpec& level : platform.levels)
    if (level.scope == Scope::local) size *= level.size;
  if (size == 1 && !platform.levels.empty()) size = platform.levels.front().size;
  return size;
}

// The levels that the list under `key` names, in its order; reports names that are not there and
// levels named twice, and is then empty.
std::vector<int> levels_named(Reader& keys, std::string_view key,
                              std::span<const LevelReference> references,
                              const PlatformFacts& platform);

}  // namespace orrery::yaml
