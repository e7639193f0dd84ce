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

#include <algorithm>
#include <cstdint>
#include <vector>

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
    if (size > kMostSeats) return;
    seats_.reserve(size);
    for (int rank = 0; rank < size; ++rank) seats_.push_back(make_seat(rank));
  }

  int pieces() const override { return pieces_; }

  // Which part comes next differs from rank to rank, which no processor predicts: so the answer is
  // put together without branches.
  Stage stage(Position rank, int, int index) const override {
    const Seat seat = seat_of(rank);
    const bool root = seat.parent < 0, collects = waits_for_children(seat);
    const int part = index + (collects ? kCollect : kTurn);
    const bool turns = (part == kTurn) & !root, spreads = (part > kCollect) & !turns;
    const bool only_up = !down_;
    const bool last = spreads | (only_up & (root | turns)) | (turns & (seat.children == 0));
    return {.sends = (turns & up_) + (spreads ? seat.children : 0),
            .receives = (part == kCollect ? seat.children : 0) + (turns & down_),
            .last = last};
  }

  Send send(Position rank, int, int stage, int index) const override {
    const Seat seat = seat_of(rank);
    // What sends upwards is the first stage, or the second after the one that collects.
    if (up_ & (seat.parent >= 0) & (stage < 2))
      return {.to = seat.parent, .stage = 0, .pieces = of(rank), .reduce = pieces_ == 1};
    const int child = index < kNoted ? seat.child[index] : tree_.child(rank, index);
    const bool waits =
        index < kNoted ? up_ & seat.child_is_inside[index] : waits_for_children(seat_of(child));
    return {.to = child, .stage = waits, .pieces = of(child), .reduce = false};
  }

 private:
  // What a rank does, one stage each: wait for its children's data, deal with its parent, serve its
  // children. Without children, parent or direction the part falls away.
  static constexpr int kCollect = 0, kTurn = 1;

  // Where a rank is in the tree. To find that out takes a dozen branches, and it is asked several
  // times for each chunk; the seats of more ranks than this would not stay in the caches either.
  static constexpr int kMostSeats = 4096;
  static constexpr int kNoted = 2;  // children
  struct Seat {
    std::int32_t parent = -1;  // -1: it is the root
    std::int32_t children = 0;
    std::int32_t child[kNoted] = {};
    bool child_is_inside[kNoted] = {};  // has children too
  };

  Seat make_seat(Position rank) const {
    Seat seat{.parent = tree_.parent(rank), .children = tree_.children(rank)};
    for (int index = 0; index < std::min(seat.children, kNoted); ++index) {
      seat.child[index] = tree_.child(rank, index);
      seat.child_is_inside[index] = tree_.children(seat.child[index]) > 0;
    }
    return seat;
  }
  Seat seat_of(Position rank) const { return seats_.empty() ? make_seat(rank) : seats_[rank]; }
  bool waits_for_children(const Seat& seat) const { return up_ & (seat.children > 0); }

  // What passes between a rank and its parent.
  Pieces of(Position rank) const {
    if constexpr (has_subtree_runs<Tree>)
      if (pieces_ > 1) return tree_.subtree(rank);
    return {0, 1};
  }

  Tree tree_;
  std::vector<Seat> seats_;  // by rank; empty if there are too many
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
