// Collectives along a tree whose root is the root of the collective: what a rank has of its subtree
// goes up, what its subtree needs comes down, whole.
//
//   reduce, gather        up: a rank waits for its children, then sends to its parent
//   broadcast, scatter    down: a rank waits for its parent, then sends to all its children
//   all_reduce, barrier   up, then down
//
// A gather sends the pieces of the subtree up and a scatter sends them down, so they need trees
// whose subtrees are runs of consecutive positions.
//
// Tree is a struct of arithmetic:
//   int parent(int rank) const              -1 at the root
//   int children(int rank) const            how many
//   int child(int rank, int index) const    in the order in which they are sent to
//   Pieces subtree(int rank) const          the positions at and below it, only if they are a run
#pragma once

#include "system/collective_algorithm.h"

namespace orrery {

// The simplest tree, all leaves.
struct Star {
  int size;

  int parent(int rank) const { return rank == 0 ? -1 : 0; }
  int children(int rank) const { return rank == 0 ? size - 1 : 0; }
  int child(int, int index) const { return index + 1; }
  Pieces subtree(int rank) const { return {rank, 1}; }
};

// From rank to rank.
struct Chain {
  int size;

  int parent(int rank) const { return rank - 1; }
  int children(int rank) const { return rank + 1 < size ? 1 : 0; }
  int child(int rank, int) const { return rank + 1; }
  Pieces subtree(int rank) const { return {rank, size - rank}; }
};

template <class Tree>
inline constexpr bool has_subtree_runs = requires(const Tree& tree) {
  tree.subtree(0);
};

constexpr bool flows_along_tree(Collective kind, bool subtree_runs) {
  switch (kind) {
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::barrier:
      return true;
    case Collective::gather:
    case Collective::scatter:
      return subtree_runs;
    default:
      return false;
  }
}

template <class Tree>
class TreePlan final : public Plan {
 public:
  TreePlan(Collective kind, int size, Tree tree)
      : tree_(tree),
        pieces_(kind == Collective::gather || kind == Collective::scatter ? size : 1),
        up_(kind != Collective::broadcast && kind != Collective::scatter),
        down_(kind != Collective::reduce && kind != Collective::gather) {
    for (int parent = 0; parent >= 0; parent = tree.parent(root_)) root_ = parent;
  }

  int pieces() const override { return pieces_; }

  Stage stage(Position rank, int, int index) const override {
    const int children = tree_.children(rank);
    const bool root = rank == root_;
    switch (part(children, root, index)) {
      case Part::collect:
        return {.sends = 0, .receives = children, .last = !down_ && root};
      case Part::turn:
        return {.sends = up_, .receives = down_, .last = !down_ || children == 0};
      case Part::spread:
        break;
    }
    return {.sends = children, .receives = 0, .last = true};
  }

  Send send(Position rank, int, int stage, int index) const override {
    // What sends upwards is the first stage, or the second after the one that collects.
    if (up_ && rank != root_ && stage < 2)
      return {.to = tree_.parent(rank), .stage = 0, .pieces = of(rank), .reduce = pieces_ == 1};
    const int child = tree_.child(rank, index);
    return {.to = child, .stage = waits_for_children(child), .pieces = of(child), .reduce = false};
  }

 private:
  // What a rank does, one stage each: wait for its children's data, deal with its parent, serve its
  // children. Without children, parent or direction the part falls away.
  enum class Part { collect, turn, spread };

  Part part(int children, bool root, int stage) const {
    if (up_ && children > 0 && stage-- == 0) return Part::collect;
    return stage == 0 && !root ? Part::turn : Part::spread;
  }
  bool waits_for_children(Position rank) const { return up_ && tree_.children(rank) > 0; }

  // What passes between a rank and its parent.
  Pieces of(Position rank) const {
    if constexpr (has_subtree_runs<Tree>)
      if (pieces_ > 1) return tree_.subtree(rank);
    return {0, 1};
  }

  Tree tree_;
  Position root_ = 0;
  int pieces_;
  bool up_, down_;
};

// An algorithm that is nothing but a tree, made from the group size.
template <class Tree>
class TreeAlgorithm final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && flows_along_tree(kind, has_subtree_runs<Tree>);
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<TreePlan<Tree>>(kind, group.size(), Tree{group.size()});
  }
};

}  // namespace orrery
