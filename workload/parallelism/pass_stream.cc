#include "workload/parallelism/pass_stream.h"

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
    : PassInTurns(writers.experts_travel),
      step_(step),
      iteration_(iteration),
      is_last_batch_(is_last_batch),
      parts_(parts),
      steps_of_(steps),
      to_(writers),
      head_(head) {
  if (step.kind == Kind::weight_gradient) return;
  for (DataExchange& exchange : to_.exchanges) exchange.begin_pass(step.chunk, is_forward());
}

const std::vector<PartStep>& StagePartSteps::of(Kind kind) const {
  switch (kind) {
    case Kind::forward:
      return whole.forward;
    case Kind::backward:
      return whole.backward;
    case Kind::input_gradient:
      return split.backward;
    case Kind::weight_gradient:
      return split.weight_gradient;
  }
  return whole.forward;
}

const std::vector<PartStep>& PassStream::steps(std::size_t number) const {
  const bool later = step_.kind == Kind::backward && head_ == HeadGradient::later &&
                     part(number).part == TransformerPart::head;
  return steps_of_[place(number)]->of(later ? Kind::input_gradient : step_.kind);
}

void PassStream::set_place(std::size_t number) {
  orrery::set_place(to_.operations, step_, part(number).layer);
}

void PassStream::begin_part(std::size_t number) {
  set_place(number);
  if (step_.kind == Kind::weight_gradient) return;
  for (DataExchange& exchange : to_.exchanges)
    exchange.before_part(step_.chunk, place(number), is_forward());
}

void PassStream::end_part(std::size_t number) {
  set_place(number);
  for (DataExchange& exchange : to_.exchanges) {
    if (step_.kind != Kind::weight_gradient)
      exchange.after_part(step_.chunk, place(number), is_forward(), is_last_batch_);
    if (step_.kind == Kind::backward || step_.kind == Kind::weight_gradient)
      exchange.gradients(step_.chunk, place(number), is_last_batch_);
  }
  under_way_.clear();
}

void PassStream::write(std::size_t number, const PartStep& step) {
  set_place(number);
  std::optional<OperationId> written;
  if (const auto* compute = std::get_if<Compute>(&step.what)) {
    const std::int32_t row = to_.operations.row(name_of(part(number).part), step.pass);
    written = to_.operations.append(row, *compute);
  } else if (const auto* exchanged = std::get_if<PartStep::Exchange>(&step.what)) {
    written = under_way_[exchanged->handle] = exchange(*exchanged);
  } else if (const auto* shifted = std::get_if<PartStep::Shift>(&step.what)) {
    under_way_[shifted->handle] = shift(*shifted);
  } else {
    to_.operations.wait(under_way_.at(std::get<PartStep::Await>(step.what).handle));
  }
  if (step.routed.role == Routed::Role::none) return;
  const ExpertLoads::Draw draw{iteration_, step_.micro_batch, part(number).layer};
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

}  // namespace orrery
