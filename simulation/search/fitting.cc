#include "simulation/search/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <utility>
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

bool tries_fewer_layers(const TrainingVariants& variants, const SearchSpec& spec) {
  const auto tries = [&](Recompute kind) {
    return spec.recompute.empty() || std::ranges::count(spec.recompute, kind) > 0;
  };
  return spec.fewest_layers_again && variants.written().npu.memory && tries(Recompute::none) &&
         tries(Recompute::full) &&
         std::ranges::count(variants.given(), std::string_view("recompute_layers")) == 0;
}

// Halved between none, which has no room, and all of a chunk.
std::optional<FittingChoice> fewest_layers_again(const TrainingVariants& variants,
                                                 const FittingChoice& full, Bytes room) {
  ParallelChoice choice = full.choice;
  choice.recompute = Recompute::none;
  const Judged none = judged(variants, choice);
  const auto* without = std::get_if<FittingChoice>(&none);
  if (full.memory > room || without == nullptr || without->memory <= room) return std::nullopt;
  choice.recompute = Recompute::full;
  const std::int64_t chunks = std::int64_t{choice.pipeline} * choice.chunks;
  auto enough = static_cast<std::int32_t>((variants.model().layers + chunks - 1) / chunks);
  std::optional<FittingChoice> fewest;
  for (std::int32_t too_few = 0; enough - too_few > 1;) {
    choice.recompute_layers = (enough + too_few) / 2;
    Judged some = judged(variants, choice);
    auto* allowed = std::get_if<FittingChoice>(&some);
    if (allowed == nullptr) return std::nullopt;
    const bool fits = allowed->memory <= room;
    (fits ? enough : too_few) = choice.recompute_layers;
    if (fits) fewest = std::move(*allowed);
  }
  return fewest;
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
  const NpuSpec& npu = variants.written().npu;
  std::vector<Judged> results(all.size());
  const bool tries_fewer = tries_fewer_layers(variants, spec);
  std::vector<std::optional<FittingChoice>> fewer(tries_fewer ? all.size() : 0);
  std::atomic<std::size_t> done{0};
  parallel_for(all.size(), workers, [&](std::size_t, std::size_t i) {
    results[i] = judged(variants, all[i]);
    if (const auto* full = std::get_if<FittingChoice>(&results[i]);
        tries_fewer && full != nullptr && full->choice.recompute == Recompute::full)
      fewer[i] = fewest_layers_again(variants, *full, room_without_fragments(npu));
    return !progress || progress(++done);
  });
  FittingChoices choices;
  if (npu.memory) choices.room = *npu.memory - npu.reserve;
  for (std::size_t i = 0; i < results.size(); ++i) {
    add(choices, results[i]);
    if (!tries_fewer || !fewer[i]) continue;
    Judged some = std::move(*fewer[i]);
    add(choices, some);
  }
  return choices;
}

}  // namespace orrery
