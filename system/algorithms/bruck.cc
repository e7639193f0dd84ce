// Bruck: ceil(log2 n) stages for any n.
//
//   all_gather   stage k: a rank has the parts of ranks r .. r + 2^k - 1 and sends them to
//                r - 2^k (of the last stage only as many as are missing). Every byte travels once.
//   all_to_all   stage k: part d, which has d positions to go, makes the jump of 2^k positions if
//                bit k of d is set. Every stage moves about half of the buffer: log2(n)/2 times the
//                bytes of a direct exchange, for log2(n) instead of n-1 messages. Small buffers.
//
// J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", IEEE TPDS 8(11), 1997.
#include <algorithm>
#include <bit>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class BruckPlan final : public Plan {
 public:
  BruckPlan(Collective kind, int size)
      : kind_(kind), size_(size), stages_(std::bit_width(static_cast<unsigned>(size - 1))) {}

  int pieces() const override { return size_; }
  Symmetry symmetry() const override { return Symmetry::rotation; }
  Stage stage(Position, int, int index) const override {
    return {.sends = 1, .receives = 1, .last = index == stages_ - 1};
  }
  Send send(Position rank, int, int stage, int) const override {
    const int jump = 1 << stage;
    if (kind_ == Collective::all_to_all)
      return {.to = (rank + jump) % size_,
              .stage = stage,
              .pieces = {.first = jump, .count = with_bit(stage), .run = jump, .stride = 2 * jump},
              .reduce = false};
    return {.to = (rank - jump + size_) % size_,
            .stage = stage,
            .pieces = {rank, std::min(jump, size_ - jump)},
            .reduce = false};
  }

  // The jumps behind a part are the lower bits of its way.
  Position travelled(int, int stage, int part) const override { return part & ((1 << stage) - 1); }

 private:
  // How many of 0 .. n-1 have that bit set.
  int with_bit(int bit) const {
    const int run = 1 << bit;
    return size_ / (2 * run) * run + std::max(0, size_ % (2 * run) - run);
  }

  Collective kind_;
  int size_, stages_;
};

class Bruck final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && (kind == Collective::all_to_all || kind == Collective::all_gather);
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<BruckPlan>(kind, group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& bruck_algorithm() {
  static const Bruck algorithm;
  return algorithm;
}

}  // namespace orrery
