#include "simulation/search/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <variant>

#include "simulation/search/parallel_for.h"
#include "workload/memory/stage_memory.h"

namespace orrery {

namespace {

// "expert_load.file" -> "file"
std::string key_of(const SpecProblem& wrong) {
  return wrong.key.empty() ? "training" : wrong.key.substr(wrong.key.rfind('.') + 1);
}

using Judged = std::variant<std::monostate, FittingChoice, SpecProblem>;

Judged judged(const TrainingVariants& variants, const ParallelChoice& choice) {
  auto training = variants.training(choice);
  if (auto* wrong = std::get_if<SpecProblem>(&training)) return std::move(*wrong);
  const auto& allowed = std::get<TransformerTraining>(training);
  return FittingChoice{choice, allowed, most_memory({variants.model(), allowed})};
}

void add(FittingChoices& choices, Judged& judged) {
  if (std::holds_alternative<std::monostate>(judged)) {
    ++choices.unchecked;
    return;
  }
  ++choices.enumerated;
  if (const auto* wrong = std::get_if<SpecProblem>(&judged)) {
    RefusedChoices& refused = choices.refused[key_of(*wrong)];
    if (refused.count++ == 0) refused.example = fmt::format("{}: {}", wrong->what, wrong->remedy);
    return;
  }
  auto& choice = std::get<FittingChoice>(judged);
  if (!choices.room || choice.memory <= *choices.room)
    return choices.fitting.push_back(std::move(choice));
  ++choices.too_large;
  if (!choices.smallest_too_large || choice.memory < choices.smallest_too_large->memory)
    choices.smallest_too_large = std::move(choice);
}

bool lies_evenly(const TransformerTraining& training, const TopologySpec& topology) {
  const std::int64_t shared = std::int64_t{training.tensor} * training.context;
  const bool pipeline_first = training.order == RankOrder::tensor_pipeline_data;
  const std::array<std::int64_t, 4> blocks{
      training.tensor, shared, shared * (pipeline_first ? training.pipeline : training.data),
      std::int64_t{training.experts.parallel} * training.experts.tensor};
  std::int64_t group = 1;
  for (const LevelSpec& level : topology.levels) {
    group *= level.size;
    if (std::ranges::any_of(
            blocks, [&](std::int64_t block) { return group % block != 0 && block % group != 0; }))
      return false;
  }
  return true;
}

}  // namespace

FittingChoices even_ones_of(FittingChoices found, const TopologySpec& topology) {
  const auto is_even = [&](const FittingChoice& fitting) {
    return lies_evenly(fitting.training, topology);
  };
  found.only_uneven = !found.fitting.empty() && std::ranges::none_of(found.fitting, is_even);
  if (!found.only_uneven)
    found.uneven = static_cast<std::int64_t>(
        std::erase_if(found.fitting, [&](const auto& fitting) { return !is_even(fitting); }));
  return found;
}

Bytes most_memory(const TransformerWorkload& workload) {
  Bytes most;
  for (std::int32_t stage = 0; stage < workload.training.pipeline; ++stage)
    most = std::max(most, stage_memory(workload, stage).total());
  return most;
}

Bytes room_without_fragments(const NpuSpec& npu) {
  const Bytes all = *npu.memory - npu.reserve;
  const double share =
      static_cast<double>(npu.fragmentation.part) / static_cast<double>(npu.fragmentation.whole);
  return Bytes{static_cast<std::int64_t>(static_cast<double>(all.value) / (1 + share))};
}

FittingChoices fitting_choices(const TrainingVariants& variants, const SearchSpec& spec,
                               std::size_t workers,
                               const std::function<bool(std::size_t done)>& progress) {
  const auto all = variants.choices(spec);
  std::vector<Judged> results(all.size());
  std::atomic<std::size_t> done{0};
  parallel_for(all.size(), workers, [&](std::size_t, std::size_t i) {
    results[i] = judged(variants, all[i]);
    return !progress || progress(++done);
  });
  FittingChoices choices;
  const NpuSpec& npu = variants.written().npu;
  if (npu.memory) choices.room = *npu.memory - npu.reserve;
  for (Judged& result : results) add(choices, result);
  return choices;
}

}  // namespace orrery
