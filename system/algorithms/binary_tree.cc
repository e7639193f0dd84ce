// Binary tree, numbered like a heap: the children of rank r are 2r+1 and 2r+2. Depth floor(log2 n).
// An inside rank sends each buffer twice on the way down, so with many chunks a broadcast tends to
// twice the time of one buffer at one port: half the ports, those of the leaves, send nothing. The
// double binary tree puts them to use.
//
// In a group that spans nodes it is a tree of nodes with a chain inside each. binary_tree:c sends
// the chunks in turn through c of them, which leave the nodes at different ranks (node_tree.h).
//
// J. Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster
// Computing 10(2), 2007.
#include <algorithm>

#include "system/algorithms/node_tree.h"

namespace orrery {
namespace {

struct HeapTree {
  int size;

  int parent(int rank) const { return rank == 0 ? -1 : (rank - 1) / 2; }
  int children(int rank) const { return std::clamp(size - 1 - 2 * rank, 0, 2); }
  int child(int rank, int index) const { return 2 * rank + 1 + index; }
};

class BinaryTree final : public CollectiveAlgorithm {
 public:
  explicit BinaryTree(int channels) : channels_(channels) {}

  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && flows_along_tree(kind, has_subtree_runs<HeapTree>);
  }
  int variants() const override { return channels_; }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int variant) const override {
    return node_tree_plan<Chain>(kind, group, {variant, channels_},
                                 [](int size) { return HeapTree{size}; });
  }
  std::unique_ptr<const CollectiveAlgorithm> with(int channels) const override {
    if (channels > kMostGates) return nullptr;
    return std::make_unique<BinaryTree>(channels);
  }

 private:
  int channels_;
};

}  // namespace

const CollectiveAlgorithm& binary_tree_algorithm() {
  static const BinaryTree algorithm(1);
  return algorithm;
}

}  // namespace orrery
