#include "workload/parallelism/pass_stream.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

}  // namespace

void set_place(OperationWriter& operations, const PipelineStep& step, std::int32_t layer) {
  const auto step_of = [](Kind kind) {
    switch (kind) {
      case Kind::forward:
        return OperationPlace::Step::forward;
      case Kind::backward:
        return OperationPlace::Step::backward;
      case Kind::input_gradient:
        return OperationPlace::Step::input_gradient;
      case Kind::weight_gradient:
        return OperationPlace::Step::weight_gradient;
    }
    return OperationPlace::Step::none;
  };
  operations.set_place(step_of(step.kind), step.micro_batch, step.chunk, layer);
}

PassStream::PassStream(const PipelineStep& step, std::int32_t iteration, bool is_last_batch,
                       const std::vector<StagePart>& parts,
                       const std::vector<const StagePartSteps*>& steps, const Writers& writers,
                       HeadGradient head)
    : step_(step),
      iteration_(iteration),
      is_last_batch_(is_last_batch),
      parts_(parts),
      steps_of_(steps),
      to_(writers),
      head_(head) {
  if (step.kind == Kind::weight_gradient) return;
  for (DataExchange& exchange : to_.exchanges) exchange.begin_pass(step.chunk, is_forward());
}

const std::vector<PartStep>& PassStream::steps(std::size_t number) const {
  const StagePartSteps& steps = *steps_of_[place(number)];
  switch (step_.kind) {
    case Kind::forward:
      return steps.whole.forward;
    case Kind::backward:
      if (head_ == HeadGradient::later && parts_[place(number)].part == TransformerPart::head)
        return steps.split.backward;
      return steps.whole.backward;
    case Kind::input_gradient:
      return steps.split.backward;
    case Kind::weight_gradient:
      return steps.split.weight_gradient;
  }
  return steps.whole.forward;
}

void PassStream::begin_part() {
  begun_ = true;
  if (step_.kind == Kind::weight_gradient) return;
  for (DataExchange& exchange : to_.exchanges)
    exchange.before_part(step_.chunk, place(), is_forward());
}

void PassStream::end_part() {
  for (DataExchange& exchange : to_.exchanges) {
    if (step_.kind != Kind::weight_gradient)
      exchange.after_part(step_.chunk, place(), is_forward(), is_last_batch_);
    if (step_.kind == Kind::backward || step_.kind == Kind::weight_gradient)
      exchange.gradients(step_.chunk, place(), is_last_batch_);
  }
  ++part_;
  next_ = 0;
  begun_ = false;
  under_way_.clear();
}

void PassStream::write(const PartStep& step) {
  std::optional<OperationId> written;
  if (const auto* compute = std::get_if<Compute>(&step.what)) {
    written = to_.operations.append(to_.operations.row(name_of(part().part), step.pass), *compute);
  } else if (const auto* exchanged = std::get_if<PartStep::Exchange>(&step.what)) {
    written = under_way_[exchanged->handle] = exchange(*exchanged);
  } else if (const auto* shifted = std::get_if<PartStep::Shift>(&step.what)) {
    under_way_[shifted->handle] = shift(*shifted);
  } else {
    to_.operations.wait(under_way_.at(std::get<PartStep::Await>(step.what).handle));
  }
  if (step.routed.role == Routed::Role::none) return;
  const ExpertLoads::Draw draw{iteration_, step_.micro_batch, part().layer};
  to_.operations.differs(*written, to_.routed.entry(step.routed, draw));
}

OperationId PassStream::exchange(const PartStep::Exchange& exchange) {
  const auto write = [&](std::string_view whose, Group group) {
    const std::string name = std::string(whose) + ' ' + std::string(name_of(exchange.kind));
    return to_.operations.collective(name, group, exchange.kind, exchange.size);
  };
  switch (exchange.group) {
    case PartGroup::tensor:
      return write("tensor", Group::tensor);
    case PartGroup::context:
      return write("context", Group::context);
    case PartGroup::context_inner:
      return write("context", Group::context_inner);
    case PartGroup::expert:
      return write("expert", Group::expert);
    case PartGroup::expert_tensor:
      return write("expert tensor", Group::expert_tensor);
    case PartGroup::expert_all:
      return write("expert counts", Group::expert_all);
    case PartGroup::expert_node:
      return write("expert node", Group::expert_node);
    case PartGroup::expert_rail:
      return write("expert rail", Group::expert_rail);
  }
  CHECK(false, "a group without a name");
}

// RingPlaces knows the neighbours. Pieces of tensor parallelism that go beside their products are
// copied by copy engines (Transformer Engine: use_ce; PyTorch's symmetric memory). The tag tells
// these messages from those between parts of the model, which are fewer than a million.
OperationId PassStream::shift(const PartStep::Shift& shift) {
  const bool tensor = shift.group == PartGroup::tensor;
  const std::int32_t tag = (1 << 20) + (tensor ? 1 : 0);
  const std::int32_t row = tensor ? to_.operations.row("tensor ring", Pass::none, "TP")
                                  : to_.operations.row("context ring", Pass::none, "CP");
  const OperationId sent = to_.operations.append(
      row, SendCall{.to = 0, .size = shift.size, .tag = tag, .copied = tensor});
  const OperationId received = to_.operations.append(
      row, ReceiveCall{.from = 0, .size = shift.size, .tag = tag, .copied = tensor});
  to_.operations.passes_on(sent, shift.group);
  to_.operations.passes_on(received, shift.group);
  return received;
}

bool PassStream::is_turn(const PartStep& step) const {
  const auto* await = std::get_if<PartStep::Await>(&step.what);
  return await != nullptr && (await->journey || !to_.experts_travel);
}

std::int32_t PassStream::legs_ahead() const {
  if (done()) return 0;
  std::int32_t legs = 0;
  for (std::size_t i = next_; i < steps(part_).size(); ++i) {
    const PartStep& step = steps(part_)[i];
    if (std::holds_alternative<Compute>(step.what)) break;
    legs += is_turn(step) ? 1 : 0;
  }
  return legs;
}

std::int64_t PassStream::flops_until_turn() const {
  Flops flops;
  bool passed = !at_turn_;  // the turn that it stands before
  for (std::size_t part = part_; part < parts_to_do(); ++part)
    for (std::size_t i = part == part_ ? next_ : 0; i < steps(part).size(); ++i) {
      const PartStep& step = steps(part)[i];
      if (std::exchange(passed, true) && is_turn(step)) return flops.value;
      if (const auto* work = std::get_if<Compute>(&step.what)) flops += work->flops;
    }
  return flops.value;
}

// Until the next turn, or until so many operations are written.
void PassStream::write_until(std::int64_t flops) {
  while (!done() && flops > 0) {
    set_place(to_.operations, step_, part().layer);
    if (!begun_) begin_part();
    if (next_ == steps(part_).size()) {
      end_part();
      continue;
    }
    const PartStep& step = steps(part_)[next_];
    at_turn_ = !at_turn_ && is_turn(step);
    if (at_turn_) return;
    write(step);
    ++next_;
    if (const auto* work = std::get_if<Compute>(&step.what)) flops -= work->flops.value;
  }
}

void PassStream::write_until_turn() { write_until(std::numeric_limits<std::int64_t>::max()); }

void PassStream::write_one_of(std::int32_t n) {
  if (n == 1) return write_until_turn();
  const std::int64_t flops = flops_until_turn();
  write_until(flops / n + (flops % n > 0 ? 1 : 0));
}

}  // namespace orrery
