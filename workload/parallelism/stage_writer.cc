#include "workload/parallelism/stage_writer.h"

#include <utility>

namespace orrery {

TransformerShard shard_of(const TransformerTraining& training, bool recomputed) {
  return {.tensor = training.tensor,
          .sequence_parallel = training.sequence_parallel,
          .micro_batch = training.micro_batch,
          .recompute = recomputed || training.recompute != Recompute::full ? training.recompute
                                                                           : Recompute::none,
          .recompute_stops_early = training.recompute_stops_early,
          .context = training.context,
          .context_method = training.context_method,
          .context_inner = training.context_inner,
          .experts = training.experts,
          .fused_cross_entropy = training.fused_cross_entropy,
          .overlap_tensor = training.overlap_tensor,
          .overlap_gradient_sums = training.overlap_gradient_sums,
          .separate_products = training.separate_products,
          .lora = training.lora,
          .sums_gradients = training.accumulates() == Accumulation::local};
}

StagePartSteps steps_of(TransformerPart part, bool recomputed,
                        const TransformerWorkload& workload) {
  TransformerShard shard = shard_of(workload.training, recomputed);
  StagePartSteps steps;
  steps.whole = transformer_part(part, workload.model, shard);
  shard.split_backward = true;
  steps.split = transformer_part(part, workload.model, shard);
  return steps;
}

bool sums_replicated(const TransformerTraining& training, const StageLayout& layout) {
  return training.tensor > 1 && layout.replicated > 0 &&
         (training.sequence_parallel || training.lora.freezes());
}

Bytes boundary_of(const TransformerWorkload& workload) {
  const TransformerTraining& training = workload.training;
  const bool in_parts = training.sequence_parallel || training.scatter_gather;
  const std::int64_t tokens = training.micro_batch * workload.model.sequence / training.context /
                              (in_parts ? training.tensor : 1);
  return workload.model.element * (tokens * workload.model.hidden);
}

Compute optimizer_step(const TransformerTraining& training,
                       const std::vector<DataExchange>& exchanges) {
  std::int64_t updated = 0;
  for (const DataExchange& exchange : exchanges) updated += exchange.parameters_to_update();
  return {Flops{}, training.optimizer_traffic * updated, std::nullopt};
}

StageWriter::StageWriter(const TransformerWorkload& workload, const Groups& groups,
                         RoutedWork& routed, std::int32_t stage, Rows& rows, AskStop stop)
    : workload_(workload),
      model_(workload.model),
      training_(workload.training),
      ranks_(workload.training),
      placement_(training_.schedule, pipeline_shape(training_)),
      stage_(stage),
      layout_(stage_layout(workload, stage)),
      expert_layout_(stage_layout(workload, stage, Kept::by_experts)),
      routed_(routed),
      operations_(groups, rows, std::move(stop)) {
  exchanges_.emplace_back(workload, layout_, Kept::by_all, operations_);
  if (expert_layout_.parameters > 0)
    exchanges_.emplace_back(workload, expert_layout_, Kept::by_experts, operations_);
  make_steps();
}

void StageWriter::make_steps() {
  for (const auto& chunk : layout_.chunks) {
    std::vector<const StagePartSteps*>& steps = steps_.emplace_back();
    for (const StagePart& part : chunk) {
      const std::tuple key(part.part, part.recomputed);
      if (!part_steps_.contains(key))
        part_steps_[key] = steps_of(part.part, part.recomputed, workload_);
      steps.push_back(&part_steps_.at(key));
    }
  }
}

std::int32_t StageWriter::row_of(const PipelineStep& step) {
  return step.kind == Kind::forward ? operations_.row("activations", Pass::none, "PP")
                                    : operations_.row("activation gradients", Pass::none, "PP");
}

// Peers are distances in ranks (Program::Peers). A tag is the boundary between two parts of the
// model that is crossed, negative for gradients. Between parts on one stage nothing is sent.
void StageWriter::send_from(const PipelineStep& step) {
  if (step.kind == Kind::weight_gradient) return;
  const bool forward = step.kind == Kind::forward;
  const Place place = here(step);
  const auto to = forward ? placement_.after(place) : placement_.before(place);
  if (!to || to->stage == stage_) return;
  set_place(operations_, step);
  const std::int32_t boundary_number = placement_.part(place) + (forward ? 1 : 0);
  const OperationId sent = operations_.append(
      row_of(step), SendCall{.to = distance_to(*to),
                             .size = boundary_of(workload_),
                             .tag = forward ? boundary_number : -boundary_number});
  if (!training_.overlaps_p2p()) sends_.push_back(sent);
}

void StageWriter::receive_for(const PipelineStep& step) {
  if (step.kind == Kind::weight_gradient) return;
  const bool forward = step.kind == Kind::forward;
  const Place place = here(step);
  const auto from = forward ? placement_.before(place) : placement_.after(place);
  if (!from || from->stage == stage_) return;
  set_place(operations_, step);
  const std::int32_t boundary_number = placement_.part(place) + (forward ? 0 : 1);
  operations_.wait(operations_.append(
      row_of(step), ReceiveCall{.from = distance_to(*from),
                                .size = boundary_of(workload_),
                                .tag = forward ? boundary_number : -boundary_number}));
  if (!training_.scatter_gather) return;
  operations_.wait(operations_.collective("gathered activations", Group::tensor,
                                          Collective::all_gather,
                                          boundary_of(workload_) * training_.tensor, "PP"));
}

void StageWriter::finish_sends() {
  for (const OperationId send : std::exchange(sends_, {})) operations_.wait(send);
}

PassStream StageWriter::stream(const PipelineStep& step, HeadGradient head) {
  const bool is_last = step.micro_batch == placement_.last_micro_batch(step.chunk);
  return {step,
          iteration_,
          is_last,
          layout_.chunks[step.chunk],
          steps_[step.chunk],
          {exchanges_, operations_, routed_, training_.experts.parallel > 1},
          head};
}

bool StageWriter::defers(const PipelineStep& step) const {
  if (!training_.defer_head_gradients || step.kind != Kind::backward || !has_head(step))
    return false;
  const auto limit = static_cast<std::size_t>(training_.deferral_limit);
  return limit == 0 || deferred_.size() < limit;
}

void StageWriter::write_deferred() {
  for (PipelineStep step : std::exchange(deferred_, {})) {
    step.kind = Kind::weight_gradient;
    operations_.begin_step();
    PassStream steps = stream(step, HeadGradient::alone);
    while (!steps.done()) steps.write_until_turn();
  }
  exchanges_.front().release();
}

void StageWriter::pass(const PipelineStep& step) {
  operations_.begin_step();
  receive_for(step);
  finish_sends();
  // The bucket of the head waits for what is put off.
  const bool later = defers(step);
  if (later && deferred_.empty()) exchanges_.front().hold(layout_.chunks[step.chunk].back().unit);
  PassStream steps = stream(step, later ? HeadGradient::later : HeadGradient::with_pass);
  while (!steps.done()) steps.write_until_turn();
  if (later) deferred_.push_back(step);
  send_from(step);
}

// The backward pass begins: its first journey to experts needs nothing computed, the forward pass's
// an attention, which is then beside it; and so on in turn, none with nothing beside it.
void StageWriter::passes_together(const PipelineStep& one, const PipelineStep& other) {
  operations_.begin_step();
  receive_for(one);
  receive_for(other);
  finish_sends();
  const bool forward_is_one = one.kind == Kind::forward;
  PassStream first = stream(forward_is_one ? other : one);
  PassStream second = stream(forward_is_one ? one : other);
  write_in_turns(first, second);
  send_from(one);
  send_from(other);
}

void StageWriter::sum_replicated_gradients() {
  if (!sums_replicated(training_, layout_)) return;
  const char* const name = training_.lora.freezes() ? "adapter gradients" : "norm gradients";
  operations_.wait(operations_.collective(name, Group::tensor, Collective::all_reduce,
                                          model_.gradient_element * layout_.replicated));
}

// With post-validation the step is taken as if the norm were small enough, and taken back when it
// turns out not to be (P. Qi et al., ICLR 2024, section 4); that never happens here.
void StageWriter::sum_gradient_norm() {
  if (ranks_.count() == 1) return;
  const OperationId norm =
      operations_.collective("gradient norm", Group::world, Collective::all_reduce, Bytes{4});
  if (!training_.post_validation) operations_.wait(norm);
}

void StageWriter::finish_iteration() {
  write_deferred();
  operations_.begin_step();
  operations_.set_place(OperationPlace::Step::none, -1, -1, -1);
  finish_sends();
  for (DataExchange& exchange : exchanges_) exchange.finish_gradients();
  sum_replicated_gradients();
  const std::int64_t matrix = model_.vocabulary * model_.hidden / training_.tensor;
  if (joins_ends(workload_) && has_ends() && !training_.lora.freezes())
    operations_.wait(operations_.collective("embedding gradients", Group::pipeline_ends,
                                            Collective::all_reduce,
                                            model_.gradient_element * matrix));
  sum_gradient_norm();
  operations_.append(operations_.row("optimizer", Pass::none),
                     optimizer_step(training_, exchanges_));
  for (DataExchange& exchange : exchanges_) exchange.gather_parameters();
}

void StageWriter::write_iteration(std::int32_t iteration) {
  iteration_ = iteration;
  operations_.set_iteration(iteration);
  for (DataExchange& exchange : exchanges_) exchange.begin_iteration();
  const auto steps = pipeline_steps(training_.schedule, pipeline_shape(training_), stage_);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].with_next) {
      passes_together(steps[i], steps[i + 1]);
      ++i;
    } else {
      pass(steps[i]);
    }
  }
  finish_iteration();
}

}  // namespace orrery
