#include "simulation/result/faster_trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "simulation/search/fitting.h"
#include "simulation/search/search.h"
#include "workload/problems.h"

namespace orrery {

namespace {

// Null if there is none, or no levels on which its ranks lie.
const TransformerWorkload* written_in(const Experiment& experiment) {
  return experiment.topology.levels.empty()
             ? nullptr
             : std::get_if<TransformerWorkload>(&experiment.workload.what);
}

// What needs no more memory than before is not refused for the lack of it.
bool has_room(const Experiment& experiment, const TransformerWorkload& changed) {
  const Bytes needed = most_memory(changed);
  return !experiment.npu.memory || needed <= room_without_fragments(experiment.npu) ||
         needed <= most_memory(std::get<TransformerWorkload>(experiment.workload.what));
}

std::optional<TransformerTraining> if_allowed(const Experiment& experiment,
                                              TransformerWorkload changed,
                                              Memory memory = Memory::has_room) {
  if (!problems_of(changed.training, changed.model, facts_of(experiment.topology)).empty() ||
      (memory == Memory::has_room && !has_room(experiment, changed)))
    return std::nullopt;
  return std::move(changed.training);
}

}  // namespace

std::optional<TransformerTraining> without_recomputation(const Experiment& experiment,
                                                         Memory memory) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.recompute == Recompute::none) return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.recompute = Recompute::none;
  changed.training.recompute_layers.reset();
  changed.training.recompute_stops_early = false;
  return if_allowed(experiment, std::move(changed), memory);
}

std::optional<TransformerTraining> with_fused_loss(const Experiment& experiment, Memory memory) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.fused_cross_entropy) return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.fused_cross_entropy = true;
  return if_allowed(experiment, std::move(changed), memory);
}

std::optional<TransformerTraining> with_overlapped_tensor(const Experiment& experiment,
                                                          Memory memory) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.tensor == 1 || written->training.overlap_tensor)
    return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.sequence_parallel = changed.training.overlap_tensor = true;
  changed.training.scatter_gather = false;
  return if_allowed(experiment, std::move(changed), memory);
}

std::optional<TransformerTraining> with_overlapped_parameters(const Experiment& experiment,
                                                              Memory memory) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.overlap_parameters) return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.overlap_parameters = true;
  return if_allowed(experiment, std::move(changed), memory);
}

std::optional<TransformerTraining> with_dispatch_by_node(const Experiment& experiment,
                                                         Memory memory) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.experts.parallel == 1 ||
      written->training.experts.node_ranks > 0)
    return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.experts.node_ranks = node_size(facts_of(experiment.topology));
  return if_allowed(experiment, std::move(changed), memory);
}

bool may_overlap_experts(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.experts.overlap_batches) return false;
  TransformerTraining beside = written->training;
  beside.experts.overlap_batches = true;
  return problems_of(beside, written->model, facts_of(experiment.topology)).empty();
}

std::vector<TransformerTraining> larger_micro_batches(const Experiment& experiment) {
  constexpr std::int64_t most_samples = 16;
  std::vector<TransformerTraining> more;
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr) return more;
  TransformerWorkload larger = *written;
  while ((larger.training.micro_batch *= 2) <= most_samples) {
    auto allowed = if_allowed(experiment, larger);
    if (!allowed) break;
    more.push_back(*std::move(allowed));
  }
  return more;
}

std::vector<TransformerTraining> other_schedules(const Experiment& experiment) {
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr || written->training.pipeline == 1) return {};
  const TransformerTraining& now = written->training;
  const auto changed = [&](PipelineSchedule schedule, std::int32_t chunks) {
    TransformerWorkload other = *written;
    other.training.schedule = schedule;
    other.training.chunks = chunks;
    if (schedule != PipelineSchedule::interleaved) other.training.micro_batch_group = 0;
    return if_allowed(experiment, std::move(other));
  };
  const auto layers =
      static_cast<std::int32_t>((written->model.layers + now.pipeline - 1) / now.pipeline);
  std::vector<TransformerTraining> interleaved, others;
  for (std::int32_t chunks = 2; chunks <= layers; ++chunks)
    if (layers % chunks == 0 && chunks != now.chunks)
      if (auto allowed = changed(PipelineSchedule::interleaved, chunks))
        interleaved.push_back(*std::move(allowed));
  if (!interleaved.empty()) others.push_back(fastest_of(experiment, interleaved).training);
  if (now.schedule != PipelineSchedule::zb_h1)
    if (auto allowed = changed(PipelineSchedule::zb_h1, 1)) others.push_back(*std::move(allowed));
  if (others.size() > 1 &&
      fastest_of(experiment, others).training.schedule != others.front().schedule)
    std::swap(others[0], others[1]);
  return others;
}

std::vector<TransformerTraining> with_fewer_stages(const Experiment& experiment, Memory memory) {
  std::vector<TransformerTraining> fewer;
  const TransformerWorkload* written = written_in(experiment);
  if (written == nullptr) return fewer;
  TransformerWorkload changed = *written;
  TransformerTraining& training = changed.training;
  while (training.pipeline % 2 == 0) {
    training.pipeline /= 2;
    if (training.pipeline == 1) {
      training.schedule = PipelineSchedule::one_forward_one_backward;
      training.chunks = 1;
      training.micro_batch_group = 0;
    }
    training.data = data_ranks(training, facts_of(experiment.topology));
    if (auto allowed = if_allowed(experiment, changed, memory))
      fewer.push_back(*std::move(allowed));
  }
  return fewer;
}

std::string stages_text(const TransformerTraining& training) {
  return fmt::format("pipeline: {}, data: {}", training.pipeline, training.data);
}

std::string schedule_text(const TransformerTraining& training) {
  return fmt::format("schedule: {}{}", name_of(training.schedule),
                     training.chunks > 1 ? fmt::format(", chunks: {}", training.chunks) : "");
}

EstimatedTraining fastest_of(const Experiment& experiment,
                             const std::vector<TransformerTraining>& all) {
  FittingChoices choices;
  for (const TransformerTraining& training : all) choices.fitting.push_back({{}, training, {}});
  const SearchResult result = estimate_choices({experiment, {}}, std::move(choices), 1);
  const SearchRow& first = result.rows.front();
  return {first.found.training, first.estimate};
}

}  // namespace orrery
