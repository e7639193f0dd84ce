// Pairwise: n-1 steps, in each of which a rank exchanges with one partner only: in step s with rank
// xor s if n is a power of two, so that both directions of a pair are busy together; else it sends
// to rank+s and receives from rank-s. Never more than one message at a port.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19(1), 2005.
#include <bit>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class PairwisePlan final : public Plan {
 public:
  explicit PairwisePlan(int size) : size_(size) {}

  int pieces() const override { return size_; }
  Symmetry symmetry() const override {
    return in_pairs() && size_ > 2 ? Symmetry::exchange : Symmetry::rotation;
  }
  Stage stage(Position, int, int index) const override {
    return {.sends = 1, .receives = 1, .last = index == size_ - 2};
  }
  Send send(Position rank, int, int stage, int) const override {
    const int step = stage + 1;
    const Position to = in_pairs() ? rank ^ step : (rank + step) % size_;
    const int distance = to > rank ? to - rank : to - rank + size_;
    return {.to = to, .stage = stage, .pieces = {distance, 1}, .reduce = false};
  }

 private:
  bool in_pairs() const { return std::has_single_bit(static_cast<unsigned>(size_)); }

  int size_;
};

class Pairwise final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return kind == Collective::all_to_all && group_size >= 2;
  }
  std::unique_ptr<Plan> plan(Collective, const GroupShape& group, int) const override {
    return std::make_unique<PairwisePlan>(group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& pairwise_algorithm() {
  static const Pairwise algorithm;
  return algorithm;
}

}  // namespace orrery
