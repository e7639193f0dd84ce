// Double binary tree: two trees over the same ranks, chosen so that a rank inside one is a leaf of
// the other. A chunk goes whole through one of them; chunks alternate, and it is the chunks that
// pipeline.
//
// A tree is drawn over positions 0..n-1: position 0 is the root with one child; the others form an
// in-order binary tree in which a position's height is the number of its trailing zero bits, so odd
// positions are leaves. With n a power of two that is a perfect tree below the root; otherwise a
// right child that would fall off the end is replaced by the next lower position of that subtree.
//
//   n = 8:        0              Tree 0 has rank = position. Tree 1 is its mirror image, rank =
//                  \             n-1-position, when n is even (odd ranks are inside); when n is
//                   4            odd, the mirror image would have the same leaves, so it is shifted
//                 /   \          by one instead, rank = position+1 mod n.
//                2     6
//               / \   / \        In an all-reduce an inside rank sends its buffer 3 times (up and
//              1   3 5   7       twice down), a leaf once: over both trees 2S at most, 2(n-1)/n S
//                                on average.
//
// A broadcast or reduce has its root at position 0 of both trees, so only the other n-1 positions
// are mirrored (now when n is odd) or shifted.
//
// In a group that spans nodes the two are trees of nodes, with a chain inside each node.
// double_binary_tree:c sends the chunks in turn through c such pairs, which leave the nodes at
// different ranks (node_tree.h).
//
// P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", Parallel Computing 35(12), 2009; N. Luehr, S. Jeaugey, "Massively scale your deep
// learning training with NCCL 2.4", NVIDIA blog, 2019.
#include <algorithm>
#include <bit>

#include "system/algorithms/node_tree.h"

namespace orrery {
namespace {

// The tree over the positions; the number of trailing zero bits of `position` is its height.
int parent_of(int position, int size) {
  if (position == 0) return -1;
  const int height_bit = position & -position;
  const int right_parent = (position ^ height_bit) | (height_bit << 1);
  return right_parent < size ? right_parent : position ^ height_bit;
}
int child_count(int position, int size) {
  if (position % 2 == 1) return 0;
  return position == 0 || position + 1 == size ? 1 : 2;
}
int child_of(int position, int size, int index) {
  const auto floor = [](int n) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  };
  if (position == 0) return floor(size - 1);
  const int step = (position & -position) / 2;
  return index == 0 ? position - step : position + std::min(step, floor(size - 1 - position));
}

// Mirrors or shifts the positions from `first` on; both leave no rank inside two trees.
struct InOrderTree {
  int size;
  int first;    // 1 if position 0 has to stay rank 0, else 0
  bool second;  // tree 1

  int parent(int rank) const {
    const int parent = parent_of(position_of(rank), size);
    return parent < 0 ? -1 : rank_at(parent);
  }
  int children(int rank) const { return child_count(position_of(rank), size); }
  int child(int rank, int index) const { return rank_at(child_of(position_of(rank), size, index)); }

 private:
  bool mirrored() const { return (size - first) % 2 == 0; }
  int position_of(int rank) const {
    if (!second || rank < first) return rank;
    if (mirrored()) return size - 1 + first - rank;
    return rank == first ? size - 1 : rank - 1;
  }
  int rank_at(int position) const {
    if (!second || position < first) return position;
    if (mirrored()) return size - 1 + first - position;
    return position + 1 == size ? first : position + 1;
  }
};

class DoubleBinaryTree final : public CollectiveAlgorithm {
 public:
  explicit DoubleBinaryTree(int pairs) : pairs_(pairs) {}

  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && flows_along_tree(kind, has_subtree_runs<InOrderTree>);
  }
  int variants() const override { return 2 * pairs_; }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int variant) const override {
    const bool rooted = kind == Collective::broadcast || kind == Collective::reduce;
    return node_tree_plan<Chain>(kind, group, {variant / 2, pairs_}, [&](int size) {
      return InOrderTree{.size = size, .first = rooted ? 1 : 0, .second = variant % 2 == 1};
    });
  }
  std::unique_ptr<const CollectiveAlgorithm> with(int pairs) const override {
    if (pairs > kMostGates) return nullptr;
    return std::make_unique<DoubleBinaryTree>(pairs);
  }

 private:
  int pairs_;
};

}  // namespace

const CollectiveAlgorithm& double_binary_tree_algorithm() {
  static const DoubleBinaryTree algorithm(1);
  return algorithm;
}

}  // namespace orrery
