#include "workload/parallelism/pass_stream.h"

#include <string>

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

bool is_wait(const PartStep& step) { return std::holds_alternative<PartStep::Await>(step.what); }

}  // namespace

PassStream::PassStream(const PipelineStep& step, bool is_last_batch,
                       const std::vector<StagePart>& parts,
                       const std::vector<const StagePartSteps*>& steps, DataExchange& exchange,
                       OperationWriter& operations)
    : step_(step),
      is_last_batch_(is_last_batch),
      parts_(parts),
      steps_of_(steps),
      exchange_(exchange),
      operations_(operations) {
  if (step.kind != Kind::weight_gradient) exchange_.begin_pass(step.chunk, is_forward());
}

const std::vector<PartStep>& PassStream::steps() const {
  const StagePartSteps& steps = *steps_of_[is_forward() ? part_ : parts_.size() - 1 - part_];
  switch (step_.kind) {
    case Kind::forward:
      return steps.whole.forward;
    case Kind::backward:
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
  const bool first_of_unit = is_forward() ? part().opens : part().closes;
  if (first_of_unit && step_.kind != Kind::weight_gradient) exchange_.before_unit(part().unit);
}

void PassStream::end_part() {
  const bool last_of_unit = is_forward() ? part().closes : part().opens;
  if (last_of_unit && step_.kind != Kind::weight_gradient)
    exchange_.after_unit(part().unit, is_last_batch_);
  if (last_of_unit && (step_.kind == Kind::backward || step_.kind == Kind::weight_gradient))
    exchange_.gradients(part().unit, is_last_batch_);
  ++part_;
  next_ = 0;
  begun_ = false;
  under_way_.clear();
}

void PassStream::write(const PartStep& step) {
  if (const auto* compute = std::get_if<Compute>(&step.what)) {
    operations_.append(operations_.row(name_of(part().part), step.pass), *compute);
  } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
    const std::string name = "tensor " + std::string(name_of(exchange->kind));
    under_way_[exchange->handle] =
        operations_.collective(name, "TP", Group::tensor, exchange->kind, exchange->size);
  } else {
    operations_.wait(under_way_.at(std::get<PartStep::Await>(step.what).handle));
  }
}

void PassStream::write_until_wait() {
  for (bool first = true; !done(); first = false) {
    if (!begun_) begin_part();
    if (next_ == steps().size()) {
      end_part();
    } else if (first || !is_wait(steps()[next_])) {
      write(steps()[next_++]);
    } else {
      return;
    }
  }
}

}  // namespace orrery
