// Broadcasts and reduces by rings through all ranks of a group, node by node, as NCCL lays them: a
// schedule of one phase for all levels.
//
// Level by level the root's port inside its node carries a buffer twice, once to cut it and once to
// gather it. A ring carries it once, and of c rings each leaves a node by another NIC with a c-th
// of it. 1 GiB to 16 servers of eight H100, at 450 GB/s inside and eight times 50 GB/s between
// them: 4.18 ms at the least the one way, 2.68 ms the other.
//
// A ring cuts the buffer among its n ranks and passes it on part by part. So a call takes as long
// as the busiest link is busy with all of the buffer, every hop of every ring at once, and what the
// first part takes over the n-1 hops of a ring. A reduce may take up to a quarter longer: the ranks
// where its rings begin send all they have at once, and other rings wait behind that at ports.
#pragma once

#include <optional>

#include "system/collective/group.h"
#include "system/rank/automatic_choice.h"

namespace orrery {

constexpr bool passes_whole_buffer(Collective kind) {
  return kind == Collective::broadcast || kind == Collective::reduce;
}

// A call sends n messages of each of n ranks for each ring and chunk. More are not tried: to
// simulate them takes seconds.
inline constexpr std::int64_t kMostMessagesOfRings = 1 << 20;

// The fastest of rings of 1, 2, 4 ... channels, up to one for each rank of a node, over the chunks
// and protocols that the rule leaves open: the fewest channels within a twentieth of it, and of
// these the fewest messages within a hundredth. None: the group or the kind is not one for rings.
// REQUIRES: the algorithms and the schedule of the rule are automatic.
std::optional<AutomaticChoice> fastest_flat_ring(const Topology& topology, const SystemSpec& system,
                                                 const CollectiveSpec& rule,
                                                 const GroupAlongLevels& group, Collective kind,
                                                 Bytes size);

}  // namespace orrery
