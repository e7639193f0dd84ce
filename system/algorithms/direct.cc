// Direct: every rank sends to every other one, visiting rank+1, rank+2, ... so that no target is
// everyone's first.
//
//   reduce_scatter  part p goes to rank p, which adds it up
//   all_gather      the own part goes to everyone
//   all_reduce      the one, then the other
//   all_to_all      part d goes to rank+d
//   broadcast, reduce, gather, scatter: between the root and everyone, without a window
//
// All at once, in one stage (two for an all-reduce) whatever the size, at the price of a fan-in of
// n-1; or, as direct:w, w peers at a time: a rank goes on to the next w when it has heard from the
// w it heard from last, so no port is ever asked to take in more than w messages at once.
//
// R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in
// MPICH", IJHPCA 19(1), 2005; the window is the throttle of MPICH's all-to-all.
#include <algorithm>

#include "system/algorithms/tree_plan.h"

namespace orrery {
namespace {

class DirectPlan final : public Plan {
 public:
  DirectPlan(Collective kind, int size, int window)
      : kind_(kind), size_(size), window_(window), rounds_((size - 2 + window) / window) {}

  int pieces() const override { return size_; }
  Symmetry symmetry() const override { return Symmetry::rotation; }

  Stage stage(Position, int, int index) const override {
    const int peers = std::min(window_, size_ - 1 - index % rounds_ * window_);
    const int stages = kind_ == Collective::all_reduce ? 2 * rounds_ : rounds_;
    return {.sends = peers, .receives = peers, .last = index == stages - 1};
  }

  Send send(Position rank, int, int stage, int index) const override {
    const int distance = stage % rounds_ * window_ + index + 1;
    const Position to = rank + distance - (rank + distance >= size_ ? size_ : 0);
    const auto part = [&](int piece, bool reduce) {
      return Send{.to = to, .stage = stage, .pieces = {piece, 1}, .reduce = reduce};
    };
    if (kind_ == Collective::all_to_all) return part(distance, false);
    const bool gathers = kind_ == Collective::all_gather || stage >= rounds_;
    return gathers ? part(rank, false) : part(to, true);
  }

 private:
  Collective kind_;
  int size_, window_, rounds_;
};

class Direct final : public CollectiveAlgorithm {
 public:
  static constexpr int kEveryone = 0;
  explicit Direct(int window) : window_(window) {}

  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && kind != Collective::barrier;
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    if (has_root(kind))
      return std::make_unique<TreePlan<Star>>(kind, group.size(), Star{group.size()});
    const int peers = group.size() - 1;
    return std::make_unique<DirectPlan>(kind, group.size(),
                                        window_ == kEveryone ? peers : std::min(window_, peers));
  }
  std::unique_ptr<const CollectiveAlgorithm> with(int window) const override {
    return std::make_unique<Direct>(window);
  }

 private:
  int window_;
};

}  // namespace

const CollectiveAlgorithm& direct_algorithm() {
  static const Direct algorithm(Direct::kEveryone);
  return algorithm;
}

}  // namespace orrery
