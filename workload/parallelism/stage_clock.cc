#include "workload/parallelism/stage_clock.h"

#include <algorithm>

#include "workload/parallelism/stage_writer.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;

const PassTime& of_kind(const PartTimes& times, Kind kind) {
  switch (kind) {
    case Kind::forward:
      return times.forward;
    case Kind::backward:
      return times.backward;
    case Kind::input_gradient:
      return times.input_gradient;
    case Kind::weight_gradient:
      return times.weight_gradient;
  }
  return times.forward;
}

}  // namespace

StageClock::StageClock(const TransformerWorkload& workload, std::int32_t stage,
                       const Groups& groups, PartTimer& parts, ExchangeTimes& exchanges)
    : workload_(workload),
      groups_(groups),
      timer_(parts),
      times_(exchanges),
      placement_(workload.training.schedule, pipeline_shape(workload.training)),
      layout_(stage_layout(workload, stage)),
      expert_layout_(stage_layout(workload, stage, Kept::by_experts)),
      operations_(groups, rows_),
      begun_(layout_.chunks.size()),
      under_way_(groups.communicators().size() + 1),
      free_(groups.communicators().size()) {
  const TransformerTraining& training = workload.training;
  exchanges_.emplace_back(workload, layout_, Kept::by_all, operations_);
  if (expert_layout_.parameters > 0)
    exchanges_.emplace_back(workload, expert_layout_, Kept::by_experts, operations_);
  in_every_pass_ =
      training.sharding == Sharding::zero3 || training.accumulates() == Accumulation::reduced;
  gathers_ahead_ = training.overlap_parameters;
  for (const auto& chunk : layout_.chunks) {
    PartTimes& sum = chunks_.emplace_back();
    auto& own = parts_.emplace_back();
    for (const StagePart& part : chunk) {
      const PartTimes& times = parts.of(part.part, part.recomputed, training, groups);
      own.push_back(&times);
      sum.forward += times.forward;
      sum.backward += times.backward;
      sum.input_gradient += times.input_gradient;
      sum.weight_gradient += times.weight_gradient;
    }
  }
}

void StageClock::begin_iteration() {
  for (DataExchange& exchange : exchanges_) exchange.begin_iteration();
  play_exchanges();
}

const PassTime& StageClock::time_of(const PipelineStep& step) const {
  return of_kind(chunks_[step.chunk], step.kind);
}

bool StageClock::exchanges_in(const PipelineStep& step) {
  const bool first = !begun_[step.chunk];
  begun_[step.chunk] = true;
  return in_every_pass_ || is_last(step) || (gathers_ahead_ && first);
}

void StageClock::pass(const PipelineStep& step) {
  if (exchanges_in(step)) return pass_part_by_part(step);
  compute(time_of(step));
}

void StageClock::compute(const PassTime& time) {
  const Duration longer = taken_.longer(now_, time.whole, time.computing);
  const Duration waits = time.whole - time.computing;
  now_ += time.computing + longer;
  if (under_way_.idle(now_) || waits <= Duration{}) {
    now_ += waits;
    return;
  }
  const std::size_t of_parts = free_.size();
  wait_until(under_way_.end_of(under_way_.begin(of_parts, {waits, time.at_ports}, now_)));
}

// As PassStream writes it.
void StageClock::pass_part_by_part(const PipelineStep& step) {
  const bool forward = step.kind == Kind::forward, weights = step.kind == Kind::weight_gradient;
  const std::vector<const PartTimes*>& parts = parts_[step.chunk];
  if (!weights)
    for (DataExchange& exchange : exchanges_) exchange.begin_pass(step.chunk, forward);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t place = forward ? i : parts.size() - 1 - i;
    if (!weights)
      for (DataExchange& exchange : exchanges_) exchange.before_part(step.chunk, place, forward);
    play_exchanges();
    compute(of_kind(*parts[place], step.kind));
    for (DataExchange& exchange : exchanges_) {
      if (!weights) exchange.after_part(step.chunk, place, forward, is_last(step));
      if (weights || step.kind == Kind::backward)
        exchange.gradients(step.chunk, place, is_last(step));
    }
    play_exchanges();
  }
}

// As StageWriter has them: the backward pass begins.
const PassTime& StageClock::time_of_both(const PipelineStep& one, const PipelineStep& other) {
  const bool swapped = one.kind == Kind::forward;
  const PipelineStep &first = swapped ? other : one, &second = swapped ? one : other;
  const PassTime*& time = together_[{first.chunk, first.kind, second.chunk, second.kind}];
  if (time == nullptr)
    time =
        &timer_.together({layout_.chunks[first.chunk], first.kind},
                         {layout_.chunks[second.chunk], second.kind}, workload_.training, groups_);
  return *time;
}

// What is exchanged for parameters meanwhile is as if the passes followed each other.
void StageClock::passes_together(const PipelineStep& one, const PipelineStep& other) {
  const PassTime& together = time_of_both(one, other);
  const bool exchanges_in_one = exchanges_in(one), exchanges_in_other = exchanges_in(other);
  if (!exchanges_in_one && !exchanges_in_other) return compute(together);
  exchanges_in_one ? pass_part_by_part(one) : compute(time_of(one));
  exchanges_in_other ? pass_part_by_part(other) : compute(time_of(other));
  now_ -= time_of(one).whole + time_of(other).whole - together.whole;
}

void StageClock::play_exchanges() {
  const std::vector<Operation>& operations = operations_.operations();
  for (; played_ < operations.size(); ++played_) {
    std::size_t& exchange = numbers_.emplace_back();
    const auto& what = operations[played_].what;
    if (const auto* call = std::get_if<CollectiveCall>(&what)) {
      const auto number = static_cast<std::size_t>(call->communicator);
      const Communicator& communicator = groups_.communicators()[number];
      const PortUse use = times_.collective(communicator, call->kind, call->size);
      exchange = under_way_.begin(number, use, now_);
      Duration& free = free_[number];
      free = std::max(free, now_) + use.time;
      taken_.begins(now_, free, times_.taken(communicator, call->size));
    } else if (const auto* wait = std::get_if<Wait>(&what)) {
      const std::size_t awaited = numbers_[static_cast<std::size_t>(wait->operation)];
      wait_until(under_way_.end_of(awaited));
    }
  }
}

void StageClock::finish_gradients() {
  for (DataExchange& exchange : exchanges_) exchange.finish_gradients();
  play_exchanges();
  const TransformerTraining& training = workload_.training;
  if (!sums_replicated(training, layout_)) return;
  now_ += times_
              .collective(groups_.communicator(Group::tensor), Collective::all_reduce,
                          workload_.model.gradient_element * layout_.replicated)
              .time;
}

void StageClock::update(const ComputeModel& compute) {
  now_ += compute.time_of(optimizer_step(workload_.training, exchanges_));
  for (DataExchange& exchange : exchanges_) exchange.gather_parameters();
  play_exchanges();
}

}  // namespace orrery
