#include "system/collective/rooted_plan.h"

namespace orrery {
namespace {

class RootedPlan final : public Plan {
 public:
  RootedPlan(Position root, const GroupShape& group, const Plan& plan)
      : plan_(plan),
        group_(group),
        root_node_(group.node_of(root)),
        root_local_(root - group.first(root_node_)) {
    // Pieces that have owners go with them.
    if (group.nodes() == 1 && plan.pieces() % group.size() == 0)
      piece_shift_ = root * (plan.pieces() / group.size());
  }

  int pieces() const override { return plan_.pieces(); }
  int lanes() const override { return plan_.lanes(); }
  int switches() const override { return plan_.switches(); }
  Stage stage(Position rank, int lane, int index) const override {
    return plan_.stage(unturned(rank), lane, index);
  }
  Send send(Position rank, int lane, int stage, int index) const override {
    Send send = plan_.send(unturned(rank), lane, stage, index);
    send.to = turned(send.to);
    send.pieces.first = (send.pieces.first + piece_shift_) % pieces();
    return send;
  }
  bool gated() const override { return plan_.gated(); }
  Gate gate(Position rank, int lane, int stage) const override {
    return plan_.gate(unturned(rank), lane, stage);
  }

 private:
  // The plan's node 0 is that of the root, and in every node its ranks are turned by as many.
  Position turned(Position position) const {
    if (position == group_.size()) return position;  // the switch
    if (group_.nodes() == 1) return (position + root_local_) % group_.size();
    const std::int32_t from = counted_.node_of(position);
    const std::int32_t node = (from + root_node_) % group_.nodes();
    const std::int32_t local = position - counted_.first(from) + root_local_;
    return group_.first(node) + local % group_.members(node);
  }
  Position unturned(Position rank) const {
    if (rank == group_.size()) return rank;
    const std::int32_t node = group_.node_of(rank), members = group_.members(node);
    const std::int32_t local = rank - group_.first(node) + members - root_local_ % members;
    const std::int32_t from = (node + group_.nodes() - root_node_) % group_.nodes();
    return counted_.first(from) + local % members;
  }

  const Plan& plan_;
  GroupShape group_;
  std::int32_t root_node_, root_local_;
  GroupShape counted_ = group_.counted_from(root_node_);
  std::int32_t piece_shift_ = 0;
};

}  // namespace

std::unique_ptr<Plan> rooted_at(Position root, const GroupShape& group, const Plan& plan) {
  return std::make_unique<RootedPlan>(root, group, plan);
}

}  // namespace orrery
