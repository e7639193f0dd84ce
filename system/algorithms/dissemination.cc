// Dissemination: in stage k every rank tells the one 2^k positions up. After ceil(log2 n) stages
// everyone has heard, over others, from everyone: a barrier, for any n.
//
// D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", International
// Journal of Parallel Programming 17(1), 1988.
#include <bit>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class DisseminationPlan final : public Plan {
 public:
  explicit DisseminationPlan(int size)
      : size_(size), stages_(std::bit_width(static_cast<unsigned>(size - 1))) {}

  int pieces() const override { return 1; }
  Symmetry symmetry() const override { return Symmetry::rotation; }
  Stage stage(Position, int, int index) const override {
    return {.sends = 1, .receives = 1, .last = index == stages_ - 1};
  }
  Send send(Position rank, int, int stage, int) const override {
    return {.to = (rank + (1 << stage)) % size_, .stage = stage, .pieces = {0, 1}, .reduce = true};
  }

 private:
  int size_, stages_;
};

class Dissemination final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return kind == Collective::barrier && group_size >= 2;
  }
  std::unique_ptr<Plan> plan(Collective, const GroupShape& group, int) const override {
    return std::make_unique<DisseminationPlan>(group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& dissemination_algorithm() {
  static const Dissemination algorithm;
  return algorithm;
}

}  // namespace orrery
