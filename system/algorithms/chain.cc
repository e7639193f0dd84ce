// Chain: from the root along all ranks, 0 -> 1 -> ... -> n-1, or back. Nobody sends a buffer twice
// in one direction, so with many chunks in flight the time tends to that of one buffer at one port,
// however large the group; the first chunk takes n-1 steps. It passes through one node after the
// other.
//
// J. Worringen, "Pipelining and overlapping for MPI collective operations", LCN 2003; the chain of
// J. Pjesivac-Grbovic et al., Cluster Computing 10(2), 2007.
#include "system/algorithms/tree_plan.h"

namespace orrery {
const CollectiveAlgorithm& chain_algorithm() {
  static const TreeAlgorithm<Chain> algorithm;
  return algorithm;
}

}  // namespace orrery
