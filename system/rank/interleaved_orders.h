// How long the chunks of a collective take that pass the levels in several orders.
//
// On a level, messages of all chunks that are there leave in the order in which they are posted. So
// each stage of a chunk waits for one message of each of the others: the stages end in rounds, and
// a chunk of small messages takes as long as one of large ones. Where chunks go one by one, few
// share a level, and small ones are quick.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units/units.h"
#include "system/rank/phase_cost.h"

namespace orrery {

// A phase of a chunk, on a level, from a queue there.
struct QueuedPhase {
  std::size_t level, queue;
  std::vector<TimedStage> stages;
};
using PhasesOfOrder = std::vector<QueuedPhase>;

// From the start of all chunks to the end of the last. Chunk k takes `orders[order_of[k]]`; in each
// queue `places` of them run at once, first come, first served. Throws RangeError beyond the clock.
Duration time_of_orders(const std::vector<PhasesOfOrder>& orders,
                        const std::vector<std::int32_t>& order_of, std::int32_t places);

}  // namespace orrery
