// Of a rank's processor, what the kernels of communication occupy while it is under way: `sm_tax`,
// or the multiprocessors of the library's channels. In parts of taken_of().
#pragma once

#include <algorithm>
#include <cstdint>

#include "system/system_spec.h"

namespace orrery {

inline std::int64_t taken_of(const SystemSpec& spec) {  // 0 = nothing is taken
  return spec.sm_tax.part > 0 ? spec.sm_tax.whole : spec.channels.multiprocessors;
}

// By a collective of so many bytes, of a group that leaves the node or lies inside it.
inline std::int64_t taken_by_collective(const SystemSpec& spec, bool leaves_node, Bytes size) {
  if (spec.sm_tax.part > 0) return spec.sm_tax.part;
  if (spec.channels.multiprocessors == 0) return 0;
  const std::int64_t needed = (size.value + bytes_of_channel.value - 1) / bytes_of_channel.value;
  const std::int32_t all = leaves_node ? spec.channels.between : spec.channels.inside;
  return std::min<std::int64_t>(all, std::max<std::int64_t>(1, needed));
}

// By a send or a receive, unless a copy engine does it.
inline std::int64_t taken_by_message(const SystemSpec& spec, bool copied) {
  if (spec.sm_tax.part > 0) return spec.sm_tax.part;
  return copied || spec.channels.multiprocessors == 0 ? 0 : spec.channels.pair;
}

}  // namespace orrery
