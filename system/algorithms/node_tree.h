// A tree for a group that spans nodes: a tree of nodes, and inside each node a tree of its members.
// One rank of a node, its gate, talks to other nodes: to the gate of the parent node and to those
// of the children. So a tree crosses a node's boundary once for each of them.
//
//   {4, 3}, binary over nodes, chains inside,      0 - 1 - 2 - 3
//   gate 0 of 1:                                  / \                     .
//                                    4 - 5 - 6 - 7   8 - 9 - 10 - 11
//
// Several channels have their gates apart: of g, gate k is k L / g local ranks up, so that they use
// other NICs. A collective with a root has it at position 0, which starts the tree of its node; the
// gate of that node follows it.
//
// This is the shape of NCCL's trees: chains inside nodes, a double binary tree of nodes.
#pragma once

#include "system/algorithms/tree_plan.h"

namespace orrery {

struct TreeChannel {
  int number = 0, of = 1;  // channels
};

inline constexpr int kMostGates = 64;

template <class Outer, class Inner>
class NodeTree {
 public:
  // `outer`: of the nodes, its root is node 0. Inner{members} is rooted at 0.
  NodeTree(const GroupShape& group, TreeChannel gate, bool rooted, Outer outer)
      : group_(group), channel_(gate), rooted_(rooted), outer_(outer) {}

  int parent(int rank) const {
    const Seat seat = seat_of(rank);
    if (seat.place > 0) return rank_at(seat.node, inner(seat.node).parent(seat.place));
    const int parent = outer_.parent(seat.node);
    return parent < 0 ? -1 : rank_at(parent, place_of_gate(parent));
  }
  int children(int rank) const {
    const Seat seat = seat_of(rank);
    return nodes_below(seat) + inner(seat.node).children(seat.place);
  }
  int child(int rank, int index) const {  // other nodes first: they have the longest way to go
    const Seat seat = seat_of(rank);
    const int nodes = nodes_below(seat);
    if (index < nodes) return rank_at(outer_.child(seat.node, index), 0);
    return rank_at(seat.node, inner(seat.node).child(seat.place, index - nodes));
  }
  // REQUIRES: gate 0.
  Pieces subtree(int rank) const requires(has_subtree_runs<Outer>&& has_subtree_runs<Inner>) {
    const Seat seat = seat_of(rank);
    if (seat.place > 0) {
      const Pieces members = inner(seat.node).subtree(seat.place);
      return {group_.first(seat.node) + members.first, members.count};
    }
    const Pieces nodes = outer_.subtree(seat.node);
    const int first = group_.first(nodes.first);
    return {first, group_.first(nodes.first + nodes.count) - first};
  }

 private:
  struct Seat {
    int node, place;  // in the tree of the node
  };

  Inner inner(int node) const { return {group_.members(node)}; }
  int nodes_below(const Seat& seat) const {
    return seat.place == place_of_gate(seat.node) ? outer_.children(seat.node) : 0;
  }
  int gate_of(int node) const { return group_.members(node) * channel_.number / channel_.of; }
  bool root_comes_first(int node) const { return rooted_ && node == 0 && gate_of(node) > 0; }
  int place_of_gate(int node) const { return root_comes_first(node) ? 1 : 0; }

  // Places follow the local ranks from the gate on; in the root's node the root has been taken out
  // and put before them.
  Seat seat_of(int rank) const {
    const int node = group_.node_of(rank), local = rank - group_.first(node);
    const int gate = gate_of(node), members = group_.members(node);
    if (!root_comes_first(node))
      return {node, local >= gate ? local - gate : local - gate + members};
    if (local == 0) return {node, 0};
    return {node, local >= gate ? local - gate + 1 : local - gate + members};
  }
  int rank_at(int node, int place) const {
    const int gate = gate_of(node), members = group_.members(node), first = group_.first(node);
    if (!root_comes_first(node)) return first + (gate + place) % members;
    if (place == 0) return first;
    const int local = gate + place - 1;
    return first + (local < members ? local : local - members + 1);
  }

  GroupShape group_;
  TreeChannel channel_;
  bool rooted_;
  Outer outer_;
};

// The plan of a tree: over all ranks if no ranks share a node or all do, else over nodes.
// `make_tree` makes the tree of a number of ranks or nodes.
template <class Inner, class MakeTree>
std::unique_ptr<Plan> node_tree_plan(Collective kind, const GroupShape& group, TreeChannel gate,
                                     MakeTree make_tree) {
  using Outer = decltype(make_tree(2));
  if (!group.spans_nodes())
    return std::make_unique<TreePlan<Outer>>(kind, group.size(), make_tree(group.size()));
  using Tree = NodeTree<Outer, Inner>;
  return std::make_unique<TreePlan<Tree>>(
      kind, group.size(), Tree(group, gate, has_root(kind), make_tree(group.nodes())));
}

}  // namespace orrery
