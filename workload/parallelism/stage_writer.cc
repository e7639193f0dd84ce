#include "workload/parallelism/stage_writer.h"

#include "workload/parallelism/gradient_buckets.h"

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
      groups_(groups),
      stage_(stage),
      rows_(rows) {
  const TransformerShard shard{.tensor = training_.tensor,
                               .sequence_parallel = training_.sequence_parallel,
                               .micro_batch = training_.micro_batch,
                               .split_backward = splits_backward(training_.schedule),
                               .recompute = training_.recompute};
  for (const TransformerPart part : {TransformerPart::embedding, TransformerPart::attention,
                                     TransformerPart::mlp, TransformerPart::head})
    part_steps_.emplace(part, transformer_part(part, model_, shard));
  make_chunks();
}

// The layers are dealt out evenly, the first chunks of the model get one more if they do not
// divide.
void StageWriter::make_chunks() {
  const std::int64_t all = std::int64_t{training_.pipeline} * training_.chunks;
  const BucketRule rule{training_.bucket, model_.gradient_element, training_.data};
  for (std::int32_t chunk = 0; chunk < training_.chunks; ++chunk) {
    const std::int64_t number = std::int64_t{chunk} * training_.pipeline + stage_;
    std::vector<Part>& parts = chunks_.emplace_back();
    if (number == 0) parts.push_back({TransformerPart::embedding});
    const std::int64_t layers = model_.layers / all + (number < model_.layers % all ? 1 : 0);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      parts.push_back({TransformerPart::attention});
      parts.push_back({TransformerPart::mlp});
    }
    if (number == all - 1) parts.push_back({TransformerPart::head});
    std::vector<std::int64_t> backwards;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      backwards.push_back(parameters(part->part, model_, training_.tensor));
      parameters_ += backwards.back();
      norms_ += replicated_parameters(part->part, model_);
    }
    const auto sizes = bucket_sizes(backwards, rule.elements(stage_));
    for (std::size_t i = 0; i < sizes.size(); ++i) parts[parts.size() - 1 - i].bucket = sizes[i];
  }
}

OperationId StageWriter::append(std::int32_t label, Work what) {
  const auto id = static_cast<OperationId>(operations_.size());
  operations_.push_back({.id = id, .label = label, .what = std::move(what)});
  return id;
}

OperationId StageWriter::collective(std::string_view name, std::string_view traffic, Group group,
                                    Collective kind, Bytes size) {
  CollectiveCall call{};
  call.kind = kind;
  call.communicator = groups_.number_of(group);
  call.size = size;
  return append(row(name, Pass::none, traffic), call);
}

void StageWriter::steps(TransformerPart part, const std::vector<PartStep>& steps) {
  std::map<std::int32_t, OperationId> under_way;  // by handle
  for (const PartStep& step : steps) {
    if (const auto* compute = std::get_if<Compute>(&step.what)) {
      append(row(name_of(part), step.pass), *compute);
    } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
      const std::string name = "tensor " + std::string(name_of(exchange->kind));
      under_way[exchange->handle] =
          collective(name, "TP", Group::tensor, exchange->kind, exchange->size);
    } else {
      wait(under_way.at(std::get<PartStep::Await>(step.what).handle));
    }
  }
}

Bytes StageWriter::boundary() const {
  const std::int64_t tokens = training_.micro_batch * model_.sequence /
                              (training_.sequence_parallel ? training_.tensor : 1);
  return model_.element * (tokens * model_.hidden);
}

std::int32_t StageWriter::row_of(Direction direction) {
  return direction == Direction::onwards ? row("activations", Pass::none, "PP")
                                         : row("activation gradients", Pass::none, "PP");
}

// The ring of stages: behind the last one comes the first, with its next chunk. Peers are distances
// in ranks (Program::Peers).
Rank StageWriter::distance_to_stage(std::int32_t stage) const {
  return ((stage + training_.pipeline) % training_.pipeline - stage_) * ranks_.pipeline_stride;
}

void StageWriter::send(Direction direction) {
  const auto steps = static_cast<std::int32_t>(direction);
  append(row_of(direction),
         SendCall{.to = distance_to_stage(stage_ + steps), .size = boundary(), .tag = steps});
}

void StageWriter::receive(Direction direction) {
  const auto steps = static_cast<std::int32_t>(direction);
  wait(append(
      row_of(direction),
      ReceiveCall{.from = distance_to_stage(stage_ - steps), .size = boundary(), .tag = steps}));
}

void StageWriter::forward(const PipelineStep& step) {
  if (!is_first(step)) receive(Direction::onwards);
  for (const Part& part : chunks_[step.chunk]) steps(part.part, part_steps_.at(part.part).forward);
  if (!is_last(step)) send(Direction::onwards);
}

void StageWriter::backward(const PipelineStep& step) {
  if (!is_last(step)) receive(Direction::back);
  const auto& parts = chunks_[step.chunk];
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    steps(part->part, part_steps_.at(part->part).backward);
    if (!splits_backward(training_.schedule)) exchange_bucket(*part, step);
  }
  if (!is_first(step)) send(Direction::back);
}

void StageWriter::weight_gradient(const PipelineStep& step) {
  const auto& parts = chunks_[step.chunk];
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    steps(part->part, part_steps_.at(part->part).weight_gradient);
    exchange_bucket(*part, step);
  }
}

// Gradients are summed over the micro-batches first: only the last one exchanges them.
void StageWriter::exchange_bucket(const Part& part, const PipelineStep& step) {
  const bool is_last_batch = step.micro_batch == training_.micro_batches() - 1;
  if (training_.data == 1 || part.bucket == 0 || !is_last_batch) return;
  const bool distributed = training_.optimizer == Optimizer::distributed;
  gradients_.push_back(collective("gradients", "DP", Group::data,
                                  distributed ? Collective::reduce_scatter : Collective::all_reduce,
                                  model_.gradient_element * part.bucket));
  if (!training_.overlap_gradients) wait(gradients_.back());
}

void StageWriter::sum_gradients_of_norms() {
  if (training_.tensor == 1 || !training_.sequence_parallel) return;
  wait(collective("norm gradients", "TP", Group::tensor, Collective::all_reduce,
                  model_.gradient_element * norms_));
}

void StageWriter::finish_iteration() {
  for (const OperationId exchange : std::exchange(gradients_, {})) wait(exchange);
  sum_gradients_of_norms();
  const std::int64_t matrix = model_.vocabulary * model_.hidden / training_.tensor;
  if (model_.tied_embeddings && training_.pipeline > 1 && has_ends())
    wait(collective("embedding gradients", "embedding", Group::pipeline_ends,
                    Collective::all_reduce, model_.gradient_element * matrix));
  if (ranks_.count() > 1)
    wait(collective("gradient norm", "norm", Group::world, Collective::all_reduce, Bytes{4}));
  const bool distributed = training_.optimizer == Optimizer::distributed && training_.data > 1;
  const std::int64_t own = distributed ? parameters_ / training_.data : parameters_;
  append(row("optimizer", Pass::none),
         Compute{Flops{}, Bytes{optimizer_traffic * own}, std::nullopt});
  if (distributed)
    wait(collective("parameters", "DP", Group::data, Collective::all_gather,
                    model_.element * parameters_));
}

void StageWriter::write_iteration(std::int32_t iteration) {
  iteration_ = iteration;
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
