// Linear: the root deals with everyone itself. One step, but the root's port carries all: n-1 times
// the buffer for broadcast and reduce; for gather and scatter (n-1)/n of it, which is optimal.
//
// This is what MPI libraries call the basic linear (flat tree) algorithms and how NCCL programs
// write gather and scatter, as grouped sends and receives: J. Pjesivac-Grbovic et al., "Performance
// analysis of MPI collective operations", Cluster Computing 10(2), 2007.
#include "system/algorithms/tree_plan.h"

namespace orrery {

const CollectiveAlgorithm& linear_algorithm() {
  static const TreeAlgorithm<Star> algorithm;
  return algorithm;
}

}  // namespace orrery
