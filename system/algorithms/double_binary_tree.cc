// Double binary tree: two trees over the same ranks, chosen so that a rank inside one is a leaf of
// the other. A chunk goes whole through one of them, up (summed) and down; chunks alternate, and it
// is the chunks that pipeline.
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
//               / \   / \        An inside rank sends its buffer 3 times (up, down, down), a leaf
//              1   3 5   7       once: over both trees 2S at most, 2(n-1)/n S on average.
//
// P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
// and scan", Parallel Computing 35(12), 2009; N. Luehr, S. Jeaugey, "Massively scale your deep
// learning training with NCCL 2.4", NVIDIA blog, 2019.
#include <array>
#include <bit>

#include "core/base/check.h"
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

struct TreeNode {
  int parent = -1;
  std::array<int, 2> children{};
  int child_count = 0;
};

TreeNode tree_node(int position, int size) {
  TreeNode node;
  const auto add_child = [&node](int child) { node.children[node.child_count++] = child; };
  if (position == 0) {
    add_child(static_cast<int>(std::bit_floor(static_cast<unsigned>(size - 1))));
    return node;
  }
  const int height_bit = position & -position;
  const int right_parent = (position ^ height_bit) | (height_bit << 1);
  node.parent = right_parent < size ? right_parent : position ^ height_bit;
  if (height_bit == 1) return node;
  add_child(position - height_bit / 2);
  for (int step = height_bit / 2; step > 0; step /= 2) {
    if (position + step >= size) continue;
    add_child(position + step);
    break;
  }
  return node;
}

// Stages of a rank: the children's sums, if any; up to the parent and down from it, if any; down to
// the children, if any. A leaf has the middle one only, the root has not got it.
class TreePlan final : public Plan {
 public:
  TreePlan(int size, int tree) : size_(size), tree_(tree) {}

  int pieces() const override { return 1; }

  Stage stage(Position rank, int, int index) const override {
    const TreeNode node = tree_node(position_of(rank), size_);
    switch (part(node, index)) {
      case Part::gather:
        return {.sends = 0, .receives = node.child_count, .last = false};
      case Part::turn:
        return {.sends = 1, .receives = 1, .last = node.child_count == 0};
      case Part::spread:
        break;
    }
    return {.sends = node.child_count, .receives = 0, .last = true};
  }

  Send send(Position rank, int, int stage, int index) const override {
    const TreeNode node = tree_node(position_of(rank), size_);
    const bool up = part(node, stage) == Part::turn;
    const int target = up ? node.parent : node.children[index];
    const bool target_is_inside = tree_node(target, size_).child_count > 0;
    return {.to = rank_at(target),
            .stage = up ? 0 : (target_is_inside ? 1 : 0),
            .pieces = {0, 1},
            .reduce = up};
  }

 private:
  enum class Part { gather, turn, spread };

  static Part part(const TreeNode& node, int stage) {
    if (node.child_count == 0) return Part::turn;
    if (stage == 0) return Part::gather;
    return stage == 1 && node.parent >= 0 ? Part::turn : Part::spread;
  }

  int position_of(Position rank) const {
    if (tree_ == 0) return rank;
    if (size_ % 2 == 0) return size_ - 1 - rank;
    return rank == 0 ? size_ - 1 : rank - 1;
  }
  Position rank_at(int position) const {
    if (tree_ == 0) return position;
    if (size_ % 2 == 0) return size_ - 1 - position;
    return position + 1 == size_ ? 0 : position + 1;
  }

  int size_, tree_;
};

class DoubleBinaryTree final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return kind == Collective::all_reduce && group_size >= 2;
  }
  int variants() const override { return 2; }
  std::unique_ptr<Plan> plan(Collective, int group_size, int variant) const override {
    return std::make_unique<TreePlan>(group_size, variant);
  }
};

}  // namespace

const CollectiveAlgorithm& double_binary_tree_algorithm() {
  static const DoubleBinaryTree algorithm;
  return algorithm;
}

}  // namespace orrery
