#include "system/collective/rooted_plan.h"

namespace orrery {
namespace {

class RootedPlan final : public Plan {
 public:
  RootedPlan(Position root, int size, const Plan& plan) : plan_(plan), root_(root), size_(size) {
    // Pieces that have owners go with them.
    if (plan.pieces() % size == 0) piece_shift_ = root * (plan.pieces() / size);
  }

  int pieces() const override { return plan_.pieces(); }
  int lanes() const override { return plan_.lanes(); }
  Stage stage(Position rank, int lane, int index) const override {
    return plan_.stage(unturned(rank), lane, index);
  }
  Send send(Position rank, int lane, int stage, int index) const override {
    Send send = plan_.send(unturned(rank), lane, stage, index);
    send.to = (send.to + root_) % size_;
    send.pieces.first = (send.pieces.first + piece_shift_) % pieces();
    return send;
  }
  bool gated() const override { return plan_.gated(); }
  Gate gate(Position rank, int lane, int stage) const override {
    return plan_.gate(unturned(rank), lane, stage);
  }

 private:
  Position unturned(Position rank) const {
    return rank < root_ ? rank - root_ + size_ : rank - root_;
  }

  const Plan& plan_;
  Position root_;
  int size_, piece_shift_ = 0;
};

}  // namespace

std::unique_ptr<Plan> rooted_at(Position root, int size, const Plan& plan) {
  return std::make_unique<RootedPlan>(root, size, plan);
}

}  // namespace orrery
