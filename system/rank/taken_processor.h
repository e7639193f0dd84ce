// Of a rank's processor, what the kernels of communication occupy while it is under way: `sm_tax`,
// or the multiprocessors of the library's channels. In parts of taken_of().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "system/collective/between_nodes.h"
#include "system/collective/group.h"
#include "system/system_spec.h"

namespace orrery {

inline std::int64_t taken_of(const SystemSpec& spec) {  // 0 = nothing is taken
  return spec.sm_tax.part > 0 ? spec.sm_tax.whole : spec.channels.multiprocessors;
}

// The members of a group in a node if it leaves the node, 0 if it lies inside. One whose members
// sit unevenly counts as one in each node.
inline std::int64_t ranks_in_node(std::span<const LevelSpec> levels,
                                  const GroupAlongLevels& along) {
  std::int64_t inside = 1;
  bool leaves = false;
  for (const auto& [level, members] : along) {
    if (place_of(levels, static_cast<std::size_t>(level)) == Scope::scale_out)
      leaves = true;
    else
      inside *= members;
  }
  return leaves ? inside : 0;
}

// By a collective of so many bytes, of a group that leaves the node and has `in_node` ranks in it;
// 0 = it lies inside.
inline std::int64_t taken_by_collective(const SystemSpec& spec, std::int64_t in_node, Bytes size) {
  if (spec.sm_tax.part > 0) return spec.sm_tax.part;
  if (spec.channels.multiprocessors == 0) return 0;
  const std::int64_t needed = (size.value + bytes_of_channel.value - 1) / bytes_of_channel.value;
  const ChannelSpec& channels = spec.channels;
  std::int64_t all = in_node == 0 ? channels.inside : channels.between;
  if (in_node > 0 && channels.per_rank > 0) all = std::min(all, in_node * channels.per_rank);
  return std::min<std::int64_t>(all, std::max<std::int64_t>(1, needed));
}

// By a send or a receive, unless a copy engine does it.
inline std::int64_t taken_by_message(const SystemSpec& spec, bool copied) {
  if (spec.sm_tax.part > 0) return spec.sm_tax.part;
  return copied || spec.channels.multiprocessors == 0 ? 0 : spec.channels.pair;
}

}  // namespace orrery
