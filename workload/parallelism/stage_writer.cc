#include "workload/parallelism/stage_writer.h"

namespace orrery {

namespace {

// Bytes that an Adam step moves per parameter: the gradient and three states read, three states
// and the parameter written.
constexpr std::int64_t optimizer_traffic = 30;

}  // namespace

StageWriter::StageWriter(const TransformerWorkload& workload, const Groups& groups,
                         std::int32_t stage, Rows& rows)
    : model_(workload.model),
      training_(workload.training),
      ranks_(workload.training),
      stage_(stage),
      layout_(stage_layout(workload, stage)),
      operations_(groups, rows),
      exchange_(workload, layout_, operations_) {
  const TransformerShard shard{.tensor = training_.tensor,
                               .sequence_parallel = training_.sequence_parallel,
                               .micro_batch = training_.micro_batch,
                               .split_backward = splits_backward(training_.schedule),
                               .recompute = training_.recompute};
  for (const TransformerPart part : {TransformerPart::embedding, TransformerPart::attention,
                                     TransformerPart::mlp, TransformerPart::head})
    part_steps_.emplace(part, transformer_part(part, model_, shard));
}

void StageWriter::steps(TransformerPart part, const std::vector<PartStep>& steps) {
  std::map<std::int32_t, OperationId> under_way;  // by handle
  for (const PartStep& step : steps) {
    if (const auto* compute = std::get_if<Compute>(&step.what)) {
      operations_.append(operations_.row(name_of(part), step.pass), *compute);
    } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
      const std::string name = "tensor " + std::string(name_of(exchange->kind));
      under_way[exchange->handle] =
          operations_.collective(name, "TP", Group::tensor, exchange->kind, exchange->size);
    } else {
      operations_.wait(under_way.at(std::get<PartStep::Await>(step.what).handle));
    }
  }
}

Bytes StageWriter::boundary() const {
  const std::int64_t tokens = training_.micro_batch * model_.sequence /
                              (training_.sequence_parallel ? training_.tensor : 1);
  return model_.element * (tokens * model_.hidden);
}

std::int32_t StageWriter::row_of(Direction direction) {
  return direction == Direction::onwards
             ? operations_.row("activations", Pass::none, "PP")
             : operations_.row("activation gradients", Pass::none, "PP");
}

// The ring of stages: behind the last one comes the first, with its next chunk. Peers are distances
// in ranks (Program::Peers).
Rank StageWriter::distance_to_stage(std::int32_t stage) const {
  return ((stage + training_.pipeline) % training_.pipeline - stage_) * ranks_.pipeline_stride;
}

void StageWriter::send(Direction direction) {
  const auto steps = static_cast<std::int32_t>(direction);
  operations_.append(
      row_of(direction),
      SendCall{.to = distance_to_stage(stage_ + steps), .size = boundary(), .tag = steps});
}

void StageWriter::receive(Direction direction) {
  const auto steps = static_cast<std::int32_t>(direction);
  operations_.wait(operations_.append(
      row_of(direction),
      ReceiveCall{.from = distance_to_stage(stage_ - steps), .size = boundary(), .tag = steps}));
}

void StageWriter::forward(const PipelineStep& step) {
  if (!is_first(step)) receive(Direction::onwards);
  exchange_.begin_pass(step.chunk, true);
  for (const StagePart& part : layout_.chunks[step.chunk]) {
    if (part.opens) exchange_.before_unit(part.unit);
    steps(part.part, part_steps_.at(part.part).forward);
    if (part.closes) exchange_.after_unit(part.unit, is_last_batch(step));
  }
  if (!is_last(step)) send(Direction::onwards);
}

void StageWriter::backward(const PipelineStep& step) {
  if (!is_last(step)) receive(Direction::back);
  exchange_.begin_pass(step.chunk, false);
  const auto& parts = layout_.chunks[step.chunk];
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->closes) exchange_.before_unit(part->unit);
    steps(part->part, part_steps_.at(part->part).backward);
    if (!part->opens) continue;
    exchange_.after_unit(part->unit, is_last_batch(step));
    if (!splits_backward(training_.schedule)) exchange_.gradients(part->unit, is_last_batch(step));
  }
  if (!is_first(step)) send(Direction::back);
}

void StageWriter::weight_gradient(const PipelineStep& step) {
  const auto& parts = layout_.chunks[step.chunk];
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    steps(part->part, part_steps_.at(part->part).weight_gradient);
    if (part->opens) exchange_.gradients(part->unit, is_last_batch(step));
  }
}

void StageWriter::sum_gradients_of_norms() {
  if (training_.tensor == 1 || !training_.sequence_parallel) return;
  operations_.wait(operations_.collective("norm gradients", "TP", Group::tensor,
                                          Collective::all_reduce,
                                          model_.gradient_element * layout_.norms));
}

void StageWriter::finish_iteration() {
  exchange_.finish_gradients();
  sum_gradients_of_norms();
  const std::int64_t matrix = model_.vocabulary * model_.hidden / training_.tensor;
  if (model_.tied_embeddings && training_.pipeline > 1 && has_ends())
    operations_.wait(operations_.collective("embedding gradients", "embedding",
                                            Group::pipeline_ends, Collective::all_reduce,
                                            model_.gradient_element * matrix));
  if (ranks_.count() > 1)
    operations_.wait(operations_.collective("gradient norm", "norm", Group::world,
                                            Collective::all_reduce, Bytes{4}));
  operations_.append(
      operations_.row("optimizer", Pass::none),
      Compute{Flops{}, Bytes{optimizer_traffic * exchange_.parameters_to_update()}, std::nullopt});
  exchange_.gather_parameters();
}

void StageWriter::write_iteration(std::int32_t iteration) {
  operations_.set_iteration(iteration);
  exchange_.begin_iteration();
  const PipelineShape shape{training_.pipeline, training_.chunks, training_.micro_batches()};
  for (const PipelineStep& step : pipeline_steps(training_.schedule, shape, stage_)) {
    switch (step.kind) {
      case Kind::forward:
        forward(step);
        break;
      case Kind::backward:
        backward(step);
        break;
      case Kind::weight_gradient:
        weight_gradient(step);
        break;
    }
  }
  finish_iteration();
}

}  // namespace orrery
