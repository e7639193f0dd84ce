// Binary tree, numbered like a heap: the children of rank r are 2r+1 and 2r+2. Depth floor(log2 n).
// An inside rank sends each buffer twice on the way down, so with many chunks a broadcast tends to
// twice the time of one buffer at one port: half the ports, those of the leaves, send nothing. The
// double binary tree puts them to use.
//
// J. Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster
// Computing 10(2), 2007.
#include <algorithm>

#include "system/algorithms/tree_plan.h"

namespace orrery {
namespace {

struct HeapTree {
  int size;

  int parent(int rank) const { return rank == 0 ? -1 : (rank - 1) / 2; }
  int children(int rank) const { return std::clamp(size - 1 - 2 * rank, 0, 2); }
  int child(int rank, int index) const { return 2 * rank + 1 + index; }
};

}  // namespace

const CollectiveAlgorithm& binary_tree_algorithm() {
  static const TreeAlgorithm<HeapTree> algorithm;
  return algorithm;
}

}  // namespace orrery
