#include "workload/parallelism/stage_writer.h"

#include <optional>
#include <string>

#include "core/base/check.h"

namespace orrery {

namespace {

// Bytes that an Adam step moves per parameter: the gradient and three states read, three states
// and the parameter written.
constexpr std::int64_t optimizer_traffic = 30;

}  // namespace

StageWriter::StageWriter(const TransformerWorkload& workload, const Groups& groups,
                         RoutedWork& routed, std::int32_t stage, Rows& rows)
    : model_(workload.model),
      training_(workload.training),
      ranks_(workload.training),
      stage_(stage),
      layout_(stage_layout(workload, stage)),
      expert_layout_(stage_layout(workload, stage, Kept::by_experts)),
      routed_(routed),
      operations_(groups, rows) {
  exchanges_.emplace_back(workload, layout_, Kept::by_all, operations_);
  const bool has_experts = expert_layout_.parameters > 0;
  if (has_experts) exchanges_.emplace_back(workload, expert_layout_, Kept::by_experts, operations_);
  const TransformerShard shard{.tensor = training_.tensor,
                               .sequence_parallel = training_.sequence_parallel,
                               .micro_batch = training_.micro_batch,
                               .split_backward = splits_backward(training_.schedule),
                               .recompute = training_.recompute,
                               .context = training_.context,
                               .context_method = training_.context_method,
                               .experts = training_.experts};
  for (const TransformerPart part : {TransformerPart::embedding, TransformerPart::attention,
                                     TransformerPart::mlp, TransformerPart::head})
    part_steps_.emplace(part, transformer_part(part, model_, shard));
  if (has_experts)
    part_steps_.emplace(TransformerPart::experts,
                        transformer_part(TransformerPart::experts, model_, shard));
}

void StageWriter::steps(const PipelineStep& step, const StagePart& part,
                        const std::vector<PartStep>& steps) {
  Handles under_way;
  const ExpertLoads::Draw draw{iteration_, step.micro_batch, part.layer};
  for (const PartStep& one : steps) {
    std::optional<OperationId> written;
    if (const auto* compute = std::get_if<Compute>(&one.what)) {
      written = operations_.append(operations_.row(name_of(part.part), one.pass), *compute);
    } else if (const auto* exchanged = std::get_if<PartStep::Exchange>(&one.what)) {
      written = under_way[exchanged->handle] = exchange(*exchanged);
    } else if (const auto* shifted = std::get_if<PartStep::Shift>(&one.what)) {
      under_way[shifted->handle] = shift(*shifted);
    } else {
      operations_.wait(under_way.at(std::get<PartStep::Await>(one.what).handle));
    }
    if (one.routed.role != Routed::Role::none)
      operations_.differs(*written, routed_.entry(one.routed, draw));
  }
}

OperationId StageWriter::exchange(const PartStep::Exchange& exchange) {
  const auto write = [&](std::string_view whose, std::string_view traffic, Group group) {
    const std::string name = std::string(whose) + ' ' + std::string(name_of(exchange.kind));
    return operations_.collective(name, traffic, group, exchange.kind, exchange.size);
  };
  switch (exchange.group) {
    case PartGroup::tensor:
      return write("tensor", "TP", Group::tensor);
    case PartGroup::context:
      return write("context", "CP", Group::context);
    case PartGroup::expert:
      return write("expert", "EP", Group::expert);
    case PartGroup::expert_tensor:
      return write("expert tensor", "EP", Group::expert_tensor);
    case PartGroup::expert_all:
      return write("expert counts", "EP", Group::expert_all);
    case PartGroup::expert_node:
      return write("expert node", "EP", Group::expert_node);
    case PartGroup::expert_rail:
      return write("expert rail", "EP", Group::expert_rail);
  }
  CHECK(false, "a group without a name");
}

// RoutedWork knows the neighbours; tags tell these messages from those of the pipeline.
OperationId StageWriter::shift(const PartStep::Shift& shift) {
  constexpr std::int32_t tag = 2;
  const std::int32_t row = operations_.row("context ring", Pass::none, "CP");
  operations_.differs(operations_.append(row, SendCall{.to = 0, .size = shift.size, .tag = tag}),
                      RoutedWork::neighbour);
  const OperationId received =
      operations_.append(row, ReceiveCall{.from = 0, .size = shift.size, .tag = tag});
  operations_.differs(received, RoutedWork::neighbour);
  return received;
}

Bytes StageWriter::boundary() const {
  const std::int64_t tokens = training_.micro_batch * model_.sequence / training_.context /
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
  for (DataExchange& exchange : exchanges_) exchange.begin_pass(step.chunk, true);
  const auto& parts = layout_.chunks[step.chunk];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (DataExchange& exchange : exchanges_) exchange.before_part(step.chunk, i);
    steps(step, parts[i], part_steps_.at(parts[i].part).forward);
    for (DataExchange& exchange : exchanges_)
      exchange.after_part(step.chunk, i, is_last_batch(step));
  }
  if (!is_last(step)) send(Direction::onwards);
}

void StageWriter::backward(const PipelineStep& step) {
  if (!is_last(step)) receive(Direction::back);
  for (DataExchange& exchange : exchanges_) exchange.begin_pass(step.chunk, false);
  const auto& parts = layout_.chunks[step.chunk];
  for (std::size_t i = parts.size(); i-- > 0;) {
    for (DataExchange& exchange : exchanges_) exchange.before_part(step.chunk, i);
    steps(step, parts[i], part_steps_.at(parts[i].part).backward);
    for (DataExchange& exchange : exchanges_) {
      exchange.after_part(step.chunk, i, is_last_batch(step));
      if (!splits_backward(training_.schedule))
        exchange.gradients(step.chunk, i, is_last_batch(step));
    }
  }
  if (!is_first(step)) send(Direction::back);
}

void StageWriter::weight_gradient(const PipelineStep& step) {
  const auto& parts = layout_.chunks[step.chunk];
  for (std::size_t i = parts.size(); i-- > 0;) {
    steps(step, parts[i], part_steps_.at(parts[i].part).weight_gradient);
    for (DataExchange& exchange : exchanges_)
      exchange.gradients(step.chunk, i, is_last_batch(step));
  }
}

void StageWriter::sum_gradients_of_norms() {
  if (training_.tensor == 1 || !training_.sequence_parallel) return;
  operations_.wait(operations_.collective("norm gradients", "TP", Group::tensor,
                                          Collective::all_reduce,
                                          model_.gradient_element * layout_.norms));
}

void StageWriter::finish_iteration() {
  for (DataExchange& exchange : exchanges_) exchange.finish_gradients();
  sum_gradients_of_norms();
  const std::int64_t matrix = model_.vocabulary * model_.hidden / training_.tensor;
  if (model_.tied_embeddings && training_.pipeline > 1 && has_ends())
    operations_.wait(operations_.collective("embedding gradients", "embedding",
                                            Group::pipeline_ends, Collective::all_reduce,
                                            model_.gradient_element * matrix));
  if (ranks_.count() > 1)
    operations_.wait(operations_.collective("gradient norm", "norm", Group::world,
                                            Collective::all_reduce, Bytes{4}));
  std::int64_t updated = 0;
  for (const DataExchange& exchange : exchanges_) updated += exchange.parameters_to_update();
  operations_.append(operations_.row("optimizer", Pass::none),
                     Compute{Flops{}, Bytes{optimizer_traffic * updated}, std::nullopt});
  for (DataExchange& exchange : exchanges_) exchange.gather_parameters();
}

void StageWriter::write_iteration(std::int32_t iteration) {
  iteration_ = iteration;
  operations_.set_iteration(iteration);
  for (DataExchange& exchange : exchanges_) exchange.begin_iteration();
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
