#include "frontends/search/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <variant>

#include "core/units/unit_text.h"
#include "frontends/report/text_table.h"
#include "frontends/search/parallel_for.h"
#include "workload/memory/stage_memory.h"

namespace orrery {

namespace {

// "workload.training.global_batch" -> "global_batch"
std::string key_of(const Diagnostic& wrong) { return wrong.path.substr(wrong.path.rfind('.') + 1); }

using Judged = std::variant<std::monostate, FittingChoice, Diagnostic>;

Judged judged(const TrainingVariants& variants, const ParallelChoice& choice) {
  auto training = variants.training(choice);
  if (auto* wrong = std::get_if<Diagnostic>(&training)) return std::move(*wrong);
  const auto& allowed = std::get<TransformerTraining>(training);
  return FittingChoice{choice, allowed, most_memory({variants.model(), allowed})};
}

void add(FittingChoices& choices, Judged& judged) {
  if (std::holds_alternative<std::monostate>(judged)) return;
  ++choices.enumerated;
  if (const auto* wrong = std::get_if<Diagnostic>(&judged)) {
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

}  // namespace

Bytes most_memory(const TransformerWorkload& workload) {
  Bytes most;
  for (std::int32_t stage = 0; stage < workload.training.pipeline; ++stage)
    most = std::max(most, stage_memory(workload, stage).total());
  return most;
}

FittingChoices fitting_choices(const TrainingVariants& variants, const SearchSpec& spec,
                               std::size_t workers,
                               const std::function<bool(std::size_t done)>& progress) {
  const auto all =
      parallel_choices(spec, variants.model(), {variants.npus(), variants.node_ranks()});
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

std::string what_fits_text(const FittingChoices& choices) {
  using Align = TextTable::Align;
  TextTable table({{"tensor"},
                   {"pipeline"},
                   {"data"},
                   {"context"},
                   {"expert"},
                   {"micro_batch"},
                   {"schedule", Align::left},
                   {"chunks"},
                   {"sharding", Align::left},
                   {"recompute", Align::left},
                   {"memory of\na rank"}});
  std::vector<const FittingChoice*> sorted;
  for (const FittingChoice& choice : choices.fitting) sorted.push_back(&choice);
  std::ranges::stable_sort(sorted, {}, &FittingChoice::memory);
  for (const FittingChoice* fitting : sorted) {
    const ParallelChoice& choice = fitting->choice;
    table.add_row({std::to_string(choice.tensor), std::to_string(choice.pipeline),
                   std::to_string(fitting->training.data), std::to_string(choice.context),
                   std::to_string(choice.expert), std::to_string(choice.micro_batch),
                   std::string(name_of(choice.schedule)), std::to_string(choice.chunks),
                   std::string(name_of(choice.sharding)), std::string(name_of(choice.recompute)),
                   to_text(fitting->memory)});
  }
  std::string text = table.empty() ? "" : table.text() + '\n';
  std::int64_t refused = 0;
  for (const auto& [key, some] : choices.refused) refused += some.count;
  text += fmt::format("{} of {} configurations fit", choices.fitting.size(), choices.enumerated);
  if (choices.room) text += " into " + to_text(*choices.room);
  text += fmt::format("; {} are not allowed, {} are too large\n", refused, choices.too_large);
  if (choices.fitting.empty() && choices.smallest_too_large)
    text += fmt::format(
        "the smallest, {}, needs {}\n",
        text_of(choices.smallest_too_large->choice, choices.smallest_too_large->training.data),
        to_text(choices.smallest_too_large->memory));
  return text;
}

}  // namespace orrery
