// A collective over several levels as a sequence of phases, each a collective over one level.
//
//   all_reduce      baseline: an all-reduce of the whole chunk on every level, innermost first.
//                   local_bandwidth_aware: reduce-scatter on all levels but the last, innermost
//                   first; all-reduce of what is left on the last; all-gather back down. The bytes
//                   on the outer level shrink by the product of the inner sizes.
//   reduce_scatter  innermost first, on what is left
//   all_gather      outermost first, on what is there
//   all_to_all      a level at a time, the whole chunk each time: what is to reach coordinate c of
//                   this level goes there, whatever its other coordinates. Innermost first: to the
//                   neighbour that sits where the target sits in its node, then along that rail
//                   (PXN of NCCL, 2DH of Tutel); across_first: along the rail of the sender, then
//                   inside the target's node (the internode kernels of DeepEP)
//   all_to_allv     the same
//   broadcast       baseline: outermost first, from the root to those that differ from it on this
//                   level only, then from each of these on.
//                   local_bandwidth_aware: scatter on all levels but the last, so that all
//                   neighbours of the root take part in the broadcast on the last, each of its
//                   part; all-gather back down
//   reduce          the same backwards (reduce-scatter up, gather down)
//   scatter         innermost first: the root's neighbours pass their parts on, side by side
//   gather          the same backwards
//   barrier         innermost first
// Those with one entry have one good composition; the other schedules use it.
//
// torus: as local_bandwidth_aware, but chunks take the levels in turn: chunk c begins with level c,
// c+1 is next, and so on round. The first level of a chunk carries most of its bytes; in turns all
// levels carry the same, at the same time. On a torus of d equal dimensions the links of all of
// them are busy: the time tends to a d-th of that of one dimension after the other.
//
// themis: the same with the order of each chunk chosen by what the levels have to do
// (chunk_orders.h).
//
// flat is not a composition: one phase over all ranks, in topology order, which is what NCCL does;
// the algorithm knows from the group's shape which ranks share a node (system/group_shape.h).
//
// S. Rashidi et al., HOTI 2020 (Hier and HierOpt); the "baseline" and "localBWAware" of ASTRA-sim.
// P. Sack, W. Gropp, "Collective algorithms for multiported torus networks", ACM TOPC 1(2), 2015.
// C. Hwang et al., "Tutel: adaptive mixture-of-experts at scale", MLSys 2023.
#pragma once

#include <vector>

#include "system/collective_algorithm.h"
#include "system/system_spec.h"

namespace orrery {

inline constexpr int kWhole = -1;  // all dimensions of a group as one

struct Phase {
  int dimension;    // of the group; of a flat phase kWhole
  Collective kind;  // among the ranks that differ in this dimension only
  // The chunk was cut by the coordinates in these dimensions, in turn: this phase's buffer is the
  // part that is left (as nccl-tests counts the buffer of its kind).
  std::vector<int> scattered = {};
  // Only ranks whose coordinates in these dimensions are those of the root take part.
  std::vector<int> at_root = {};
  // The chunk passes the dimensions the other way round now: phases back have queues of their own
  // (collective_scheduler.h).
  bool back = false;
};

// The dimensions of a group in the order in which a chunk passes them, 0 being the innermost.
using DimensionOrder = std::vector<int>;

// Chunks of a collective take these in turn; entry i follows the numbers of the dimensions upwards,
// beginning with i.
std::vector<DimensionOrder> orders_of(HierarchicalSchedule schedule, int dimensions);

std::vector<Phase> make_phases(Collective kind, HierarchicalSchedule schedule,
                               const DimensionOrder& order);

}  // namespace orrery
