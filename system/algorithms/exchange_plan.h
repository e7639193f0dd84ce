// Plans that are a sequence of exchanges among 2^k ranks, for any group size: the standard step
// before and after them.
//
// With n = 2^k + e, e < 2^k, the ranks 0 .. 2e-1 form e pairs. The even one of a pair, the guest,
// hands its data to the odd one, its host, sits out, and gets the result in the end. The 2^k that
// are left are numbered anew as nodes, in order: node v is rank 2v+1 for v < e, else v+e; it stands
// for the ranks from v + min(v, e) on, its guest among them.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19(1), 2005.
#pragma once

#include <algorithm>
#include <bit>

#include "system/collective_algorithm.h"

namespace orrery {

class ExchangePlan : public Plan {
 public:
  // `steps`: exchanges that every node makes.
  ExchangePlan(Collective kind, int size, int steps)
      : kind_(kind),
        size_(size),
        nodes_(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        guests_(size - nodes_),
        steps_(steps) {}

  Symmetry symmetry() const final {
    if (guests_ > 0) return Symmetry::none;
    return size_ == 2 ? Symmetry::rotation : Symmetry::exchange;
  }

  Stage stage(Position rank, int, int index) const final {
    if (is_guest(rank)) return {.sends = 1, .receives = 1, .last = true};
    const bool host = is_host(rank);
    const int step = index - host;
    if (step < 0) return {.sends = 0, .receives = 1, .last = false};
    if (step == steps_) return {.sends = 1, .receives = 0, .last = true};
    return {.sends = 1, .receives = 1, .last = step == steps_ - 1 && !host};
  }

  Send send(Position rank, int, int stage, int) const final {
    const bool gathers = kind_ == Collective::all_gather;
    const Pieces all{0, pieces()};
    if (is_guest(rank))
      return {.to = rank + 1,
              .stage = 0,
              .pieces = gathers ? Pieces{rank, 1} : all,
              .reduce = !gathers};
    const int step = stage - is_host(rank);
    if (step == steps_)
      return {.to = rank - 1, .stage = 0, .pieces = result_of(rank - 1), .reduce = false};
    const int node = rank < 2 * guests_ ? rank / 2 : rank - guests_;
    const Exchange exchange = exchange_of(node, step);
    const Position to = exchange.with < guests_ ? 2 * exchange.with + 1 : exchange.with + guests_;
    return {.to = to,
            .stage = step + is_host(to),
            .pieces = exchange.pieces,
            .reduce = exchange.reduce};
  }

 protected:
  struct Exchange {
    int with;  // node
    Pieces pieces;
    bool reduce;
  };
  virtual Exchange exchange_of(int node, int step) const = 0;

  int nodes() const { return nodes_; }
  static int log2_of_nodes(int size) { return std::bit_width(static_cast<unsigned>(size)) - 1; }

  // The exchange of doubling: the 2^step nodes around this one have the same, and get what the next
  // 2^step have. Which the parts of these nodes are depends on whether ranks own parts.
  Exchange double_up(int node, int step) const {
    const int width = 1 << step;
    return {node ^ width, parts_of(node & -width, width), false};
  }
  // The parts that `count` nodes stand for.
  Pieces parts_of(int first, int count) const {
    return {start_of(first), start_of(first + count) - start_of(first)};
  }

 private:
  bool is_guest(Position rank) const { return rank < 2 * guests_ && rank % 2 == 0; }
  bool is_host(Position rank) const { return rank < 2 * guests_ && rank % 2 == 1; }

  // What a guest is owed: it has its own part of an all-gather.
  Pieces result_of(Position guest) const {
    if (kind_ == Collective::all_gather) return {guest + 1, size_ - 1};
    return kind_ == Collective::reduce_scatter ? Pieces{guest, 1} : Pieces{0, pieces()};
  }
  int start_of(int node) const { return pieces() == size_ ? node + std::min(node, guests_) : node; }

  Collective kind_;
  int size_, nodes_, guests_, steps_;
};

}  // namespace orrery
