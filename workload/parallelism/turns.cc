#include "workload/parallelism/turns.h"

#include <limits>
#include <utility>
#include <variant>

namespace orrery {

bool PassInTurns::is_turn(const PartStep& step) const {
  const auto* await = std::get_if<PartStep::Await>(&step.what);
  return await != nullptr && (await->journey || !experts_travel_);
}

std::int32_t PassInTurns::legs_ahead() const {
  if (done()) return 0;
  std::int32_t legs = 0;
  for (std::size_t i = next_; i < steps(part_).size(); ++i) {
    const PartStep& step = steps(part_)[i];
    if (std::holds_alternative<Compute>(step.what)) break;
    legs += is_turn(step) ? 1 : 0;
  }
  return legs;
}

std::int64_t PassInTurns::flops_until_turn() const {
  Flops flops;
  bool passed = !at_turn_;  // the turn that it stands before
  for (std::size_t part = part_; part < parts(); ++part)
    for (std::size_t i = part == part_ ? next_ : 0; i < steps(part).size(); ++i) {
      const PartStep& step = steps(part)[i];
      if (std::exchange(passed, true) && is_turn(step)) return flops.value;
      if (const auto* work = std::get_if<Compute>(&step.what)) flops += work->flops;
    }
  return flops.value;
}

// Until the next turn, or until so many operations are written.
void PassInTurns::write_until(std::int64_t flops) {
  while (!done() && flops > 0) {
    if (!std::exchange(begun_, true)) begin_part(part_);
    if (next_ == steps(part_).size()) {
      end_part(part_);
      ++part_;
      next_ = 0;
      begun_ = false;
      continue;
    }
    const PartStep& step = steps(part_)[next_];
    at_turn_ = !at_turn_ && is_turn(step);
    if (at_turn_) return;
    write(part_, step);
    ++next_;
    if (const auto* work = std::get_if<Compute>(&step.what)) flops -= work->flops.value;
  }
}

void PassInTurns::write_until_turn() { write_until(std::numeric_limits<std::int64_t>::max()); }

void PassInTurns::write_one_of(std::int32_t n) {
  if (n == 1) return write_until_turn();
  const std::int64_t flops = flops_until_turn();
  write_until(flops / n + (flops % n > 0 ? 1 : 0));
}

namespace {

// What `computes` does until its next turn, beside the legs of what the other one exchanges: a part
// of it beside each.
void take_turn(PassInTurns& computes, PassInTurns& travels) {
  for (std::int32_t legs = travels.legs_ahead(); legs > 1; --legs) {
    computes.write_one_of(legs);
    travels.write_until_turn();
  }
  computes.write_until_turn();
}

}  // namespace

void write_in_turns(PassInTurns& first, PassInTurns& second) {
  while (!first.done() || !second.done()) {
    take_turn(first, second);
    take_turn(second, first);
  }
}

}  // namespace orrery
