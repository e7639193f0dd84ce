// What the NICs of nodes carry where a library's collective is simulated level by level.
//
// NCCL's rings pass all n ranks of a call, node by node, each ring through another NIC. So of the
// part of a ring (n-1)/n leaves a node, per reduction or gathering. Level by level it would be
// (N-1)/N of the same part, N being the nodes: half instead of 15/16 on 2 nodes of 8. The measured
// bus bandwidth of two such nodes of H100, 391 GB/s, is that of their 8 NICs with 15/16.
#pragma once

#include <cstdint>
#include <span>

#include "core/units/share.h"
#include "system/collective/phases.h"

namespace orrery {

// Of the bytes that a library sends in a phase, the part that is sent level by level: 1 but for the
// outermost of several levels. `sizes`: of the dimensions of the group.
inline Share share_between_nodes(bool in_turn, const Phase& phase,
                                 std::span<const std::int32_t> sizes) {
  const auto last = static_cast<int>(sizes.size()) - 1;
  const bool is_sum_of_parts =
      phase.kind <= Collective::all_gather && static_cast<int>(phase.scattered.size()) == last;
  if (!in_turn || last < 1 || phase.dimension != last || !is_sum_of_parts) return {1, 1};
  std::int64_t inside = 1;
  for (const std::int32_t size : sizes.first(sizes.size() - 1)) inside *= size;
  const std::int64_t nodes = sizes.back();
  if (nodes < 2) return {1, 1};
  return {(nodes - 1) * inside, nodes * inside - 1};
}

// Of a part, a part. REQUIRES: both are more than 0.
constexpr Share part_of(Share share, Share of) {
  return {share.part * of.part, share.whole * of.whole};
}

}  // namespace orrery
