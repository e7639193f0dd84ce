// In-network: the switch takes part. It adds what comes in and sends the sum out again, or sends
// one arrival to everyone, so each rank sends and receives the buffer once, whatever their number:
// S instead of the 2(n-1)/n S of an all-reduce by ring. The switch is position n of the plan.
//
//   all_reduce      everyone sends S, the switch adds; S to everyone
//   reduce_scatter  everyone sends S, the switch adds; part r to rank r
//   all_gather      everyone sends its part; the switch sends all n parts to everyone, the own one
//                   too, as a multicast does
//   broadcast       the root sends S; S to everyone else
//   reduce          everyone sends S, the root too; the sum to the root
//   barrier         everyone tells the switch, which tells everyone
//
// The switch waits for a whole chunk from all before it goes on, so it is the chunks that pipeline:
// real ones add packet by packet, to which many chunks come close.
//
// B. Klenk, N. Jiang, G. Thorson, L. Dennison, "An in-network architecture for accelerating
// shared-memory multiprocessor collectives", ISCA 2020 (NVLink SHARP); R. Graham et al., "Scalable
// hierarchical aggregation protocol (SHARP)", COM-HPC 2016 (InfiniBand).
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

class InNetworkPlan final : public Plan {
 public:
  InNetworkPlan(Collective kind, int size) : kind_(kind), size_(size) {}

  int pieces() const override { return in_parts() ? size_ : 1; }
  int switches() const override { return 1; }

  Stage stage(Position rank, int, int index) const override {
    if (rank < size_) return {.sends = sends_up(rank), .receives = gets_down(rank), .last = true};
    if (index == 0) return {.sends = 0, .receives = from_root() ? 1 : size_, .last = false};
    return {.sends = from_root() ? size_ - 1 : to_root() ? 1 : size_, .receives = 0, .last = true};
  }

  Send send(Position rank, int, int, int index) const override {
    const Pieces all{0, pieces()};
    if (rank < size_) {
      const bool part = kind_ == Collective::all_gather;
      return {.to = size_, .stage = 0, .pieces = part ? Pieces{rank, 1} : all, .reduce = adds()};
    }
    const Position to = from_root() ? index + 1 : index;
    const bool part = kind_ == Collective::reduce_scatter;
    return {.to = to, .stage = 0, .pieces = part ? Pieces{to, 1} : all, .reduce = false};
  }

 private:
  bool from_root() const { return kind_ == Collective::broadcast; }
  bool to_root() const { return kind_ == Collective::reduce; }
  bool in_parts() const {
    return kind_ == Collective::reduce_scatter || kind_ == Collective::all_gather;
  }
  bool adds() const { return !from_root() && kind_ != Collective::all_gather; }
  int sends_up(Position rank) const { return from_root() && rank != 0 ? 0 : 1; }
  int gets_down(Position rank) const {
    if (from_root()) return rank == 0 ? 0 : 1;
    return to_root() && rank != 0 ? 0 : 1;
  }

  Collective kind_;
  int size_;
};

class InNetwork final : public CollectiveAlgorithm {
 public:
  bool supports(Collective kind, int group_size) const override {
    switch (kind) {
      case Collective::all_reduce:
      case Collective::reduce_scatter:
      case Collective::all_gather:
      case Collective::broadcast:
      case Collective::reduce:
      case Collective::barrier:
        return group_size >= 2;
      default:
        return false;
    }
  }
  bool needs_reducing_switch() const override { return true; }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<InNetworkPlan>(kind, group.size());
  }
};

}  // namespace

const CollectiveAlgorithm& in_network_algorithm() {
  static const InNetwork algorithm;
  return algorithm;
}

}  // namespace orrery
