#include "network/crossed_levels.h"

#include <algorithm>

namespace orrery {

CrossedLevels::CrossedLevels(const Topology& topology, const RoutingSpec& routing)
    : topology_(topology), router_(topology, routing) {}

std::uint64_t CrossedLevels::between(NodeId from, NodeId to) {
  if (topology_.structural() && std::max(from, to).value < topology_.npu_count()) {
    std::uint64_t crossed = 0;
    for (int level = 0; level < static_cast<int>(topology_.levels().size()); ++level)
      if (topology_.coordinate(from, level) != topology_.coordinate(to, level))
        crossed |= std::uint64_t{1} << level;
    return crossed;
  }
  const std::uint64_t pair =
      static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
  constexpr std::size_t most = std::size_t{1} << 20;  // 50 MB, however many pairs there are
  if (found_.size() >= most) found_.clear();
  const auto [found, is_new] = found_.try_emplace(pair);
  if (is_new) found->second = on_the_way(from, to);
  return found->second;
}

std::uint64_t CrossedLevels::on_the_way(NodeId from, NodeId to) {
  links_.clear();
  shares_.clear();
  if (takes_all_paths(router_.policy()))
    router_.shares(from, to, shares_);
  else
    router_.path(from, to, 0, links_);
  for (const LinkShare& share : shares_) links_.push_back(share.link);
  std::uint64_t crossed = 0;
  for (const LinkIndex link : links_) crossed |= std::uint64_t{1} << topology_.links()[link].level;
  return crossed;
}

}  // namespace orrery
