#include "workload/parallelism/data_exchange.h"

#include <utility>

namespace orrery {

namespace {

// Experts are shared by all their ranks or by none: there are no copies of shares.
std::int32_t shards_of(const TransformerTraining& training, Kept kept) {
  if (kept == Kept::by_all) return training.shard_ranks();
  return training.sharding == Sharding::none ? 1 : training.expert_replicas();
}

std::int32_t replicas_of(const TransformerTraining& training, Kept kept) {
  return kept == Kept::by_all ? training.replicas() : training.expert_replicas();
}

}  // namespace

DataExchange::DataExchange(const TransformerWorkload& workload, const StageLayout& layout,
                           Kept kept, OperationWriter& operations)
    : model_(workload.model),
      training_(workload.training),
      layout_(layout),
      operations_(operations),
      kept_(kept),
      shards_(shards_of(training_, kept)),
      copies_(replicas_of(training_, kept) / shards_),
      queues_(layout.chunks.size()),
      under_way_(layout.units.size()),
      here_(layout.units.size(), training_.sharding != Sharding::zero3) {}

std::string DataExchange::row_of(std::string_view what) const {
  return std::string(kept_ == Kept::by_all ? "" : "expert ") + std::string(what);
}

bool DataExchange::gathers_ahead() const {
  return training_.overlap_parameters && shards_ > 1 && training_.sharding != Sharding::zero3;
}

std::int64_t DataExchange::parameters_to_update() const { return layout_.trained / shards_; }

void DataExchange::begin_iteration() {
  if (!gathers_ahead()) return;
  Queue& queue = queues_[0] = Queue{};
  for (std::size_t unit = 0; unit < here_.size(); ++unit) {
    queue.wanted.push_back(static_cast<std::int32_t>(unit));
    here_[unit] = false;
  }
  gather_next(queue);
}

void DataExchange::begin_pass(std::int32_t chunk, bool forwards) {
  if (training_.sharding != Sharding::zero3) return;
  Queue& queue = queues_[chunk] = Queue{};
  queue.forwards = forwards;
  const auto& parts = layout_.chunks[chunk];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StagePart& part = forwards ? parts[i] : parts[parts.size() - 1 - i];
    if ((forwards ? part.opens : part.closes) && !here_[part.unit])
      queue.wanted.push_back(part.unit);
  }
}

void DataExchange::gather_next(Queue& queue) {
  if (queue.asked == queue.wanted.size()) return;
  const std::int32_t unit = queue.wanted[queue.asked++];
  under_way_[unit] =
      operations_.collective(row_of("parameters"), shard_group(), Collective::all_gather,
                             gathered_element() * layout_.units[unit].elements);
}

void DataExchange::before_part(std::int32_t chunk, std::size_t part, bool forwards) {
  const StagePart& place = layout_.chunks[chunk][part];
  if (forwards ? place.opens : place.closes) before_unit(place.unit);
}

void DataExchange::after_part(std::int32_t chunk, std::size_t part, bool forwards,
                              bool is_last_batch) {
  const StagePart& place = layout_.chunks[chunk][part];
  if (forwards ? place.closes : place.opens) after_unit(place.unit, is_last_batch);
}

void DataExchange::before_unit(std::int32_t unit) {
  if (shards_ == 1) return;
  Queue& queue = queue_of(unit);
  if (!here_[unit]) {
    while (!under_way_[unit]) gather_next(queue);
    operations_.wait(*under_way_[unit]);
    under_way_[unit].reset();
    here_[unit] = true;
  }
  std::int32_t ahead = 0;
  for (std::size_t i = 0; i < queue.asked; ++i)
    ahead += under_way_[queue.wanted[i]].has_value() ? 1 : 0;
  for (; ahead < training_.prefetch; ++ahead) gather_next(queue);
}

// PyTorch's pipeline stages keep what a backward pass has used until the last micro-batch.
void DataExchange::after_unit(std::int32_t unit, bool is_last_batch) {
  if (training_.sharding != Sharding::zero3) return;
  const bool frees = queue_of(unit).forwards
                         ? training_.frees_after_forward() && !layout_.units[unit].stays
                         : training_.pipeline == 1 || is_last_batch;
  if (frees) here_[unit] = false;
}

void DataExchange::gradients(std::int32_t chunk, std::size_t part, bool is_last_batch) {
  const StagePart& place = layout_.chunks[chunk][part];
  const bool now = is_last_batch || training_.accumulates() == Accumulation::reduced;
  if (exchanges() && place.opens && now && place.unit != held_) complete(place.unit);
}

void DataExchange::release() {
  if (held_ && exchanges()) complete(*held_);
  held_.reset();
}

void DataExchange::complete(std::int32_t unit) {
  if (layout_.units[unit].trained == 0) return;
  if (reduces_behind())
    behind_.push_back(unit);
  else
    reduce(layout_.units[unit]);
}

void DataExchange::reduce(const ExchangeUnit& unit) {
  const Bytes size = model_.gradient_element * unit.trained;
  const bool scatters = shards_ > 1;
  const bool one_at_a_time = training_.sharding == Sharding::zero3 && copies_ == 1;
  if (one_at_a_time && !reductions_.empty()) operations_.wait(reductions_.back());
  if (one_at_a_time) reductions_.clear();
  sum_over_groups();
  const OperationId reduction =
      operations_.collective(row_of("gradients"), unit.group,
                             scatters ? Collective::reduce_scatter : Collective::all_reduce, size);
  const TensorPart part =
      TensorPart::of(&unit - layout_.units.data(), std::ssize(layout_.units), TensorWay::push);
  operations_.carries(reduction, part);
  if (scatters && copies_ > 1) {
    share_ = Share{reduction, Bytes{size.value / shards_}, part};
  } else {
    reductions_.push_back(reduction);
  }
  if (!training_.overlap_gradients) wait_for_reductions();
}

void DataExchange::sum_over_groups() {
  if (!share_) return;
  operations_.wait(share_->scattered);
  reductions_.push_back(operations_.collective("gradients of copies", Group::copies,
                                               Collective::all_reduce, share_->size));
  operations_.carries(reductions_.back(), share_->part);
  share_.reset();
}

void DataExchange::finish_gradients() {
  for (const std::int32_t unit : std::exchange(behind_, {})) reduce(layout_.units[unit]);
  wait_for_reductions();
}

void DataExchange::wait_for_reductions() {
  sum_over_groups();
  for (const OperationId reduction : std::exchange(reductions_, {})) operations_.wait(reduction);
}

void DataExchange::gather_parameters() {
  if (shards_ == 1 || training_.sharding == Sharding::zero3 || gathers_ahead()) return;
  operations_.wait(operations_.collective(row_of("parameters"), shard_group(),
                                          Collective::all_gather,
                                          gathered_element() * layout_.trained));
}

}  // namespace orrery
