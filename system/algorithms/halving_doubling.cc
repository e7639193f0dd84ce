// Halving-doubling (Rabenseifner): for n = 2^k,
//
//   reduce_scatter  halving: partners n/2, n/4, ..., 1 away exchange and add the half of what they
//                   still have that is the other's                                      k stages
//   all_gather      doubling: partners 1, 2, ..., n/2 away exchange all they have       k stages
//   all_reduce      the one, then the other                                            2k stages
//
// The bytes of a ring in a logarithmic number of stages; but half of them go n/2 away. For other n
// see exchange_plan.h: two more stages, in which up to half of the ranks hand over their whole
// buffer.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19(1), 2005.
#include "system/algorithms/exchange_plan.h"

namespace orrery {
namespace {

class HalvingDoublingPlan final : public ExchangePlan {
 public:
  HalvingDoublingPlan(Collective kind, int size)
      : ExchangePlan(kind, size, (kind == Collective::all_reduce ? 2 : 1) * log2_of_nodes(size)),
        pieces_(kind == Collective::all_reduce ? nodes() : size),
        halvings_(kind == Collective::all_gather ? 0 : log2_of_nodes(size)) {}

  int pieces() const override { return pieces_; }

 private:
  Exchange exchange_of(int node, int step) const override {
    if (step >= halvings_) return double_up(node, step - halvings_);
    const int half = nodes() >> (step + 1);
    const int partner = node ^ half;
    return {partner, parts_of(partner & -half, half), true};
  }

  int pieces_, halvings_;
};

class HalvingDoubling final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && kind <= Collective::all_gather;
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<HalvingDoublingPlan>(kind, group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& halving_doubling_algorithm() {
  static const HalvingDoubling algorithm;
  return algorithm;
}

}  // namespace orrery
