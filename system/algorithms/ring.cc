// Ring: every rank sends to the next one only.
//
//   reduce_scatter  stage s: piece r-1-s goes on, having been summed over s+1 ranks    n-1 stages
//   all_gather      stage s: piece r-s goes on                                         n-1 stages
//   all_reduce      the one, then the other                                            2(n-1)
//   stages all_to_all      stage s: what came from rank r-s and is not home yet goes on: n-1-s
//   pieces, the
//                   ones for r+1, r+2, ...                                             n-1 stages
//
// P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// JPDC 69(2), 2009.
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class RingPlan final : public Plan {
 public:
  RingPlan(Collective kind, int size) : kind_(kind), size_(size) {}

  int pieces() const override { return size_; }

  Stage stage(Position, int, int index) const override {
    return {.sends = 1, .receives = 1, .last = index == stages() - 1};
  }

  Send send(Position rank, int, int stage, int) const override {
    const Position next = rank + 1 == size_ ? 0 : rank + 1;
    const auto pass_on = [&](int first, int count, bool reduce) {
      return Send{.to = next, .stage = stage, .pieces = {wrap(first), count}, .reduce = reduce};
    };
    const int half = size_ - 1;
    switch (kind_) {
      case Collective::reduce_scatter:
        return pass_on(rank - 1 - stage, 1, true);
      case Collective::all_gather:
        return pass_on(rank - stage, 1, false);
      case Collective::all_to_all:
        return pass_on(rank + 1, half - stage, false);
      case Collective::all_reduce:
        break;
    }
    return stage < half ? pass_on(rank - 1 - stage, 1, true)
                        : pass_on(rank - (stage - half), 1, false);
  }

 private:
  int stages() const { return (kind_ == Collective::all_reduce ? 2 : 1) * (size_ - 1); }

  // REQUIRES: -size <= piece < 2 * size, true of every index above.
  int wrap(int piece) const {
    if (piece < 0) return piece + size_;
    return piece >= size_ ? piece - size_ : piece;
  }

  Collective kind_;
  int size_;
};

class Ring final : public CollectiveAlgorithm {
 public:
  bool supports(Collective, int group_size) const override { return group_size >= 2; }
  std::unique_ptr<Plan> plan(Collective kind, int group_size, int) const override {
    return std::make_unique<RingPlan>(kind, group_size);
  }
};

}  // namespace

const CollectiveAlgorithm& ring_algorithm() {
  static const Ring algorithm;
  return algorithm;
}

}  // namespace orrery
