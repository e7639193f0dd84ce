// Which order of the dimensions each chunk of a collective takes (orders_of() in phases.h): in
// turn, or, for the themis schedule, so that all dimensions have equally much to do.
//
// Themis goes through the chunks and keeps, for each dimension, the time that the chunks so far
// need its links. A chunk takes the dimensions in ascending order of that time: the first one that
// it passes carries most, as each reduce-scatter leaves a part of the bytes; the all-gathers come
// back in the reverse order. Nothing is measured, so all ranks of a group come to the same.
//
// S. Rashidi, W. Won, S. Srinivasan, S. Sridharan, T. Krishna, "Themis: a network bandwidth-aware
// collective scheduling policy for distributed training of DL models", ISCA 2022, algorithm 1
// (without its threshold below which imbalance is ignored, and without latencies).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"
#include "system/system_spec.h"

namespace orrery {

// A dimension of a group, as far as its load is concerned.
struct DimensionRate {
  std::int32_t size;
  Bandwidth rate;  // of a rank, by the ports that the algorithm uses there
};

// For each chunk, the index of its order. REQUIRES: rates for themis; else only their number
// counts.
std::vector<std::int32_t> orders_of_chunks(Collective kind, HierarchicalSchedule schedule,
                                           Bytes size, std::int32_t chunks,
                                           std::span<const DimensionRate> dimensions);

// Into how many chunks a collective may be cut, ascending: up to `most`, or `most_in_orders` where
// these take several orders. As many of each order: else some dimensions have more to do, and what
// is left over begins when the others are done. Themis keeps them equally busy with any number.
std::vector<std::int32_t> chunk_counts_tried(HierarchicalSchedule schedule, int dimensions,
                                             std::int32_t most, std::int32_t most_in_orders);

}  // namespace orrery
