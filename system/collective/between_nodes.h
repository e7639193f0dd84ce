// What the NICs of nodes carry where a library's collective is simulated level by level.
//
// NCCL's rings pass all n ranks of a call, node by node, each ring through another NIC. So of the
// part of a ring (n-1)/n leaves a node, per reduction or gathering. Level by level it would be
// (N-1)/N of the same part, N being the nodes: half instead of 15/16 on 2 nodes of 8. The measured
// bus bandwidth of two such nodes of H100, 391 GB/s, is that of their 8 NICs with 15/16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/units/share.h"
#include "network/topology/topology.h"
#include "system/collective/phases.h"
#include "system/protocol_spec.h"

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

inline constexpr std::int32_t kLargestServer = 16;

// Where a level is: inside nodes are those of scope local, as group.cc has it, or the innermost if
// all have one scope. But of a fabric alone, with more members than servers have, each is a node.
// So is each NPU of those that are plugged into switches which further ones join (leaves).
inline Scope place_of(std::span<const LevelSpec> levels, std::size_t level) {
  if (levels[level].scope == Scope::local) return Scope::local;
  if (levels.size() == 1 && levels[level].size > kLargestServer) return Scope::scale_out;
  if (levels.size() > 1 && levels[0].kind == LevelKind::graph) return Scope::scale_out;
  return level == 0 ? Scope::local : Scope::scale_out;
}

// Whether a switch adds for a collective (Protocol::nvls): an all-reduce among more than two ranks
// of one node, as NCCL has it (NCCL_ALGO_NVLS, src/graph/tuning.cc). `spanned`: levels of the
// group.
inline bool switch_may_add(Collective kind, std::size_t spanned, const LevelSpec& level,
                           Scope place, std::int32_t members) {
  return kind == Collective::all_reduce && spanned == 1 && members > 2 &&
         level.kind == LevelKind::switched && place == Scope::local;
}

// Of a part, a part. REQUIRES: both are more than 0.
constexpr Share part_of(Share share, Share of) {
  return {share.part * of.part, share.whole * of.whole};
}

// Of what messages are on the wire, the part that is data. With nvls they are those of a ring, but
// a port carries the buffer once, not 2 (n-1)/n times. REQUIRES: `sizes` is not empty.
inline Share data_share(const ProtocolCost& cost, bool in_turn, const Phase& phase,
                        std::span<const std::int32_t> sizes) {
  const Share share = part_of(cost.efficiency, share_between_nodes(in_turn, phase, sizes));
  const std::int64_t n = sizes.back();
  if (cost.protocol != Protocol::nvls || n < 2) return share;
  return part_of(share, {2 * (n - 1), n});
}

}  // namespace orrery
