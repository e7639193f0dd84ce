// PAT, parallel aggregated trees: all-gather and reduce-scatter in ceil(log2 n) stages for any n,
// at the bytes of a ring.
//
// The part of each rank travels along a binomial tree of its own, all of them the same tree turned
// round; what goes the same way in the same stage goes as one message. A part that has d positions
// behind it makes its jumps in the order of the bits of d, the farthest first, so that the far
// links see few bytes and the many bytes of the last stages go to neighbours:
//
//   all_gather      stages with jumps J = 2^(K-1), ..., 2, 1: rank r has the parts r-d with d a
//                   multiple of 2J, and sends those with d + J < n to r + J
//   reduce_scatter  the same backwards: jumps 1, 2, ..., 2^(K-1), adding
//   all_reduce      the one after the other
//
// NCCL cuts the stages further so that intermediate buffers stay small; here they are not limited.
//
// S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// arXiv:2506.20252, 2025 (NCCL 2.23).
#include <bit>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class PatPlan final : public Plan {
 public:
  PatPlan(Collective kind, int size)
      : kind_(kind), size_(size), jumps_(std::bit_width(static_cast<unsigned>(size - 1))) {}

  int pieces() const override { return size_; }
  Symmetry symmetry() const override { return Symmetry::rotation; }

  Stage stage(Position, int, int index) const override {
    const int stages = kind_ == Collective::all_reduce ? 2 * jumps_ : jumps_;
    return {.sends = 1, .receives = 1, .last = index == stages - 1};
  }

  Send send(Position rank, int, int stage, int) const override {
    const bool reduces = kind_ != Collective::all_gather && stage < jumps_;
    if (reduces) {
      const int jump = 1 << stage;
      const Position to = wrap(rank - jump);
      return {.to = to, .stage = stage, .pieces = gone_on(to, jump), .reduce = true};
    }
    const int step = kind_ == Collective::all_gather ? stage : stage - jumps_;
    const int jump = 1 << (jumps_ - 1 - step);
    return {
        .to = wrap(rank + jump), .stage = stage, .pieces = gone_on(rank, jump), .reduce = false};
  }

 private:
  // The parts that jump on from this rank: those that come from 0, 2J, 4J, ... below it.
  Pieces gone_on(Position rank, int jump) const {
    const int count = (size_ - jump - 1) / (2 * jump) + 1;
    return {
        .first = wrap(rank - (count - 1) * 2 * jump), .count = count, .run = 1, .stride = 2 * jump};
  }
  int wrap(int number) const {  // REQUIRES: -size <= number < 2 * size
    if (number < 0) return number + size_;
    return number >= size_ ? number - size_ : number;
  }

  Collective kind_;
  int size_, jumps_;
};

class Pat final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && kind <= Collective::all_gather;
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<PatPlan>(kind, group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& pat_algorithm() {
  static const Pat algorithm;
  return algorithm;
}

}  // namespace orrery
