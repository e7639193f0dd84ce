// A collective over several levels as a sequence of phases, each a collective over one level.
//
//   all_reduce      baseline: an all-reduce of the whole chunk on every level, innermost first.
//                   local_bandwidth_aware: reduce-scatter on all levels but the last, innermost
//                   first; all-reduce of what is left on the last; all-gather back down. The bytes
//                   on the outer level shrink by the product of the inner sizes.
//   reduce_scatter  innermost first, on what is left
//   all_gather      outermost first, on what is there
//   all_to_all      a level at a time, innermost first, the whole chunk each time: what is to reach
//                   coordinate c of this level goes there, whatever its other coordinates
//   broadcast       baseline: outermost first, from the root to those that differ from it on this
//                   level only, then from each of these on.
//                   local_bandwidth_aware: scatter on all levels but the last, so that all
//                   neighbours of the root take part in the broadcast on the last, each of its
//                   part; all-gather back down
//   reduce          the same backwards (reduce-scatter up, gather down)
//   scatter         innermost first: the root's neighbours pass their parts on, side by side
//   gather          the same backwards
//   barrier         innermost first
// Those with one entry have one good composition; both schedules use it. `flat` is not a
// composition: one phase over all ranks, in topology order, which is what NCCL does; the algorithm
// knows from the group's shape which ranks share a node (system/group_shape.h).
//
// S. Rashidi et al., HOTI 2020 (Hier and HierOpt); the "baseline" and "localBWAware" of ASTRA-sim.
#pragma once

#include <vector>

#include "system/collective_algorithm.h"
#include "system/system_spec.h"

namespace orrery {

inline constexpr int kWhole = -1;  // all dimensions of a group as one

struct Phase {
  int dimension;    // of the group; of a flat phase kWhole
  Collective kind;  // among the ranks that differ in this dimension only
  // The chunk was cut by the coordinates in dimensions 0 .. scattered-1, in turn: this phase's
  // buffer is the part that is left (as nccl-tests counts the buffer of its kind).
  int scattered;
  // Only ranks whose coordinates in dimensions first .. end-1 are those of the root take part.
  struct Dimensions {
    int first = 0, end = 0;
  } at_root = {};
};

std::vector<Phase> make_phases(Collective kind, HierarchicalSchedule schedule, int dimensions);

// Phases towards the outer levels and phases back have queues of their own
// (collective_scheduler.h). The broadcast on top of one that goes through parts still climbs.
constexpr bool goes_inwards(const Phase& phase) {
  if (phase.dimension == kWhole) return false;
  return phase.kind == Collective::all_gather || phase.kind == Collective::gather ||
         (phase.kind == Collective::broadcast && phase.scattered == 0);
}

}  // namespace orrery
