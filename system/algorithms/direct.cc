// Direct: every rank sends to every other one at once, visiting rank+1, rank+2, ... so that no
// target is everyone's first.
//
//   reduce_scatter  piece p goes to rank p, which adds it up                           1 stage
//   all_gather      the own piece goes to everyone                                     1 stage
//   all_reduce      the one, then the other                                            2 stages
//   all_to_all      piece p goes to rank p                                             1 stage
//
// Two steps whatever the size, at the price of a fan-in of n-1: R. Thakur, R. Rabenseifner, W.
// Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 19(1), 2005,
// section 3.
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class DirectPlan final : public Plan {
 public:
  DirectPlan(Collective kind, int size) : kind_(kind), size_(size) {}

  int pieces() const override { return size_; }

  Stage stage(Position, int, int index) const override {
    const bool last = kind_ != Collective::all_reduce || index == 1;
    return {.sends = size_ - 1, .receives = size_ - 1, .last = last};
  }

  Send send(Position rank, int, int stage, int index) const override {
    const int peer = rank + 1 + index;
    const Position to = peer >= size_ ? peer - size_ : peer;
    const bool scatter = stage == 0 && kind_ != Collective::all_gather;
    return {.to = to,
            .stage = stage,
            .pieces = {scatter ? to : rank, 1},
            .reduce = scatter && kind_ != Collective::all_to_all};
  }

 private:
  Collective kind_;
  int size_;
};

class Direct final : public CollectiveAlgorithm {
 public:
  bool supports(Collective, int group_size) const override { return group_size >= 2; }
  std::unique_ptr<Plan> plan(Collective kind, int group_size, int) const override {
    return std::make_unique<DirectPlan>(kind, group_size);
  }
};

}  // namespace

const CollectiveAlgorithm& direct_algorithm() {
  static const Direct algorithm;
  return algorithm;
}

}  // namespace orrery
