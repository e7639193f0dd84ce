// What a job must agree with on its platform.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

struct PlatformFacts {
  bool known = false;  // false: nothing is checked against the platform
  std::vector<LevelSpec> levels;
  std::int32_t npus = 0;  // that the job runs on
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

// NPUs behind a plug of the network: a server, or an NPU by itself where a graph has none.
inline std::int32_t npus_of_server(const PlatformFacts& platform) {
  const bool bare = !platform.levels.empty() && platform.levels.front().kind == LevelKind::graph &&
                    platform.levels.front().scope != Scope::local;
  return bare ? 1 : node_size(platform);
}

}  // namespace orrery
