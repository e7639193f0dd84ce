// Recursive doubling: in stage s partners 2^s apart exchange all they have: for n = 2^k, k stages.
//
//   all_reduce, barrier   the sum so far: the whole buffer each time, k S; small buffers
//   all_gather            the parts so far, twice as many each time: (n-1)/n S
//
// For other n see exchange_plan.h: two more stages.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19(1), 2005.
#include "system/algorithms/exchange_plan.h"

namespace orrery {
namespace {

class RecursiveDoublingPlan final : public ExchangePlan {
 public:
  RecursiveDoublingPlan(Collective kind, int size)
      : ExchangePlan(kind, size, log2_of_nodes(size)),
        gathers_(kind == Collective::all_gather),
        pieces_(gathers_ ? size : 1) {}

  int pieces() const override { return pieces_; }

 private:
  Exchange exchange_of(int node, int step) const override {
    if (gathers_) return double_up(node, step);
    return {node ^ (1 << step), {0, 1}, true};
  }

  bool gathers_;
  int pieces_;
};

class RecursiveDoubling final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && (kind == Collective::all_reduce || kind == Collective::all_gather ||
                               kind == Collective::barrier);
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<RecursiveDoublingPlan>(kind, group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& recursive_doubling_algorithm() {
  static const RecursiveDoubling algorithm;
  return algorithm;
}

}  // namespace orrery
