// Binomial tree: a rank's parent is its number without the lowest one bit, so the subtree of rank r
// is r .. r + (its lowest one bit) - 1, cut off at n. ceil(log2 n) steps; each step doubles the
// ranks that have the data. The largest subtree is served first, as it has the longest way to go.
//
//   n = 8:    0             A broadcast sends n-1 buffers in all, ceil(log2 n) of them from the
//          /  |  |          root; a scatter sends each part once for every one bit of its rank.
//         4   2  1
//        / |  |
//       6  5  3             R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
//       |                   communication operations in MPICH", IJHPCA 19(1), 2005.
//       7
//
// In a group that spans nodes: one of nodes, and one inside each.
#include <algorithm>
#include <bit>

#include "system/algorithms/node_tree.h"

namespace orrery {
namespace {

struct BinomialTree {
  int size;

  int parent(int rank) const { return rank == 0 ? -1 : rank & (rank - 1); }
  int children(int rank) const { return std::bit_width(static_cast<unsigned>(extent(rank) - 1)); }
  int child(int rank, int index) const { return rank + (1 << (children(rank) - 1 - index)); }
  Pieces subtree(int rank) const { return {rank, extent(rank)}; }

 private:
  int extent(int rank) const { return rank == 0 ? size : std::min(rank & -rank, size - rank); }
};

class Binomial final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && flows_along_tree(kind, has_subtree_runs<BinomialTree>);
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return node_tree_plan<BinomialTree>(kind, group, {},
                                        [](int size) { return BinomialTree{size}; });
  }
};

}  // namespace

const CollectiveAlgorithm& binomial_tree_algorithm() {
  static const Binomial algorithm;
  return algorithm;
}

}  // namespace orrery
