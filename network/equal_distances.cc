#include "network/equal_distances.h"

#include <vector>

#include "network/routing/link_states.h"
#include "network/routing/shortest_paths.h"

namespace orrery {

bool equally_far(const Topology& topology, int level) {
  const std::int32_t parts = topology.levels()[static_cast<std::size_t>(level)].size;
  const std::int32_t stride = topology.stride(level), last = (parts - 1) * stride;
  const LinkStates all_up(topology);
  ShortestPaths paths(topology, all_up, {});
  std::vector<LinkIndex> links;
  const auto distance = [&](std::int32_t from, std::int32_t to) {
    links.clear();
    return paths.path({from}, {to}, 0, links) ? links.size() : 0;
  };
  const std::size_t between_ends = distance(0, last);
  for (std::int32_t npu = stride; npu < last; npu += stride)
    if (distance(npu, 0) != between_ends || distance(npu, last) != between_ends) return false;
  return between_ends > 0;
}

}  // namespace orrery
