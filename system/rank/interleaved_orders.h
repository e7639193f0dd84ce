// How long the chunks of a collective take that pass the levels in several orders.
//
// On a level, messages of all chunks that are there leave in the order in which they are posted. So
// each stage of a chunk waits for one message of each of the others: the stages end in rounds, and
// a chunk of small messages takes as long as one of large ones. Where chunks go one by one, few
// share a level, and small ones are quick. Chunks that are followed message by message leave a
// level one after the other, and those that wait for a place begin so.
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

// First come, first served.
struct ChunkPlaces {
  std::int32_t in_queue;        // chunks that run at once in one queue
  std::int32_t in_first_phase;  // chunks of an order that are in their first phase or wait for it
};

// From the start of all chunks to the end of the last. Chunk k takes `orders[order_of[k]]`. Of many
// equal stages some go together. Throws RangeError beyond the clock.
Duration time_of_orders(const std::vector<PhasesOfOrder>& orders,
                        const std::vector<std::int32_t>& order_of, const ChunkPlaces& places);

// It takes no less: all that the chunks send on the level that has most to do.
Duration busiest_level(const std::vector<PhasesOfOrder>& orders,
                       const std::vector<std::int32_t>& order_of);

}  // namespace orrery
