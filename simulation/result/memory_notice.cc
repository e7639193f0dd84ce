#include "simulation/result/memory_notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/share_text.h"
#include "core/units/unit_text.h"
#include "simulation/result/faster_trainings.h"
#include "simulation/search/chosen_parallelism.h"
#include "simulation/search/fitting.h"
#include "simulation/search/fitting_change.h"
#include "simulation/search/least_memory.h"
#include "simulation/search/training_variants.h"
#include "simulation/written.h"
#include "workload/memory/stage_memory.h"

namespace orrery {

namespace {

// What would make the largest kind smaller.
std::string remedy_of_largest(const StageMemory& memory, const TransformerTraining& training) {
  const Bytes states = std::max(memory.optimizer, memory.gradients);
  if (memory.activations + memory.again >= std::max(states, memory.parameters)) {
    if (training.recompute != Recompute::full) return "write recompute: full";
    return training.micro_batch > 1 ? "make micro_batch smaller"
                                    : "make tensor larger, with sequence_parallel: true";
  }
  if (training.replicas() > 1 && training.sharding == Sharding::none)
    return "write sharding: zero1";
  if (training.replicas() > 1 && training.sharding != Sharding::zero3 && training.pipeline == 1)
    return "make tensor or pipeline larger, or write sharding: zero3";
  return "make tensor or pipeline larger";
}

std::string kinds(const StageMemory& memory) {
  std::string text;
  const auto add = [&](const char* name, Bytes bytes) {
    if (bytes == Bytes{}) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, to_text(bytes));
  };
  add("parameters", memory.parameters);
  add("gradients", memory.gradients);
  add("optimizer", memory.optimizer);
  add("buffers", memory.buffers);
  add("activations", memory.activations);
  add("a layer done again", memory.again);
  return text;
}

// The stage whose ranks need most.
std::pair<std::int32_t, StageMemory> fullest_stage(const TransformerWorkload& workload) {
  std::pair<std::int32_t, StageMemory> fullest{0, stage_memory(workload, 0)};
  for (std::int32_t stage = 1; stage < workload.training.pipeline; ++stage) {
    const StageMemory memory = stage_memory(workload, stage);
    if (memory.total() > fullest.second.total()) fullest = {stage, memory};
  }
  return fullest;
}

// Data parallelism that is written down does not follow from the other settings.
bool writes_data(const Experiment& experiment) { return is_written(experiment, "training.data"); }

std::string written_as(const Experiment& experiment, const TransformerTraining& training) {
  const auto& written = std::get<TransformerWorkload>(experiment.workload.what);
  return fmt::format("write {}, which needs {}",
                     changed_settings(training, written.training, writes_data(experiment)),
                     to_text(most_memory({written.model, training})));
}

// A platform of more servers, and what is then to be written. What the file leaves open is chosen
// anew: of a parallelism that was chosen the settings, and a batch that was assumed.
std::string remedy_of_servers(const TrainingVariants& variants, const TransformerWorkload& workload,
                              Bytes room) {
  const std::string& choice = variants.written().parallelism_chosen;
  const bool chosen = choice.starts_with("tp");
  auto larger = chosen ? std::nullopt : fitting_servers(variants, room);
  if (!larger) larger = least_npus(variants, room);
  if (!larger) return "use devices with more memory, or shorter sequences";
  TransformerTraining open = chosen ? larger->training : workload.training;
  const bool assumed = choice.find("batch ") != std::string::npos;
  open.global_batch =
      chosen && assumed ? larger->training.global_batch : workload.training.global_batch;
  const std::string settings =
      changed_settings(larger->training, open, writes_data(variants.written()));
  return fmt::format("use {} NPUs{}", larger->npus,
                     settings.empty() ? "" : fmt::format(" and write {}", settings));
}

// Where no setting near the written ones fits: what is fastest of all that do, or more servers.
std::optional<std::string> remedy_of_all(const TrainingVariants& variants,
                                         const TransformerWorkload& workload, Bytes room) {
  const auto least = least_memory(variants);
  if (!least) return std::nullopt;
  if (least->memory <= room) {
    if (const auto fastest = choose_parallelism(variants, {})) {
      const auto training = variants.training(fastest->choice);
      if (const auto* allowed = std::get_if<TransformerTraining>(&training);
          allowed != nullptr && most_memory({workload.model, *allowed}) <= room)
        return written_as(variants.written(), *allowed);
    }
    return written_as(variants.written(), least->training);
  }
  const StageMemory memory = fullest_stage({workload.model, least->training}).second;
  const Bytes states = memory.parameters + memory.gradients + memory.optimizer;
  const NpuSpec& npu = variants.written().npu;
  const std::string fragments =
      least->memory <= *npu.memory - npu.reserve
          ? fmt::format(" ({} with fragments, platform.npu.fragmentation)",
                        to_text(reserved_for(least->memory, npu.fragmentation)))
          : "";
  return fmt::format(
      "sharded over all {} NPUs it needs {} of each at least{}, {} of that for parameters, "
      "gradients and optimizer: {}",
      variants.npus(), to_text(least->memory), fragments, to_text(states),
      remedy_of_servers(variants, workload, room));
}

// The same of experts that are spread over ranks, where each rank has all of them.
std::vector<TransformerTraining> changes_with_spread_experts(const TransformerWorkload& workload,
                                                             const PlatformFacts& platform,
                                                             Bytes room) {
  constexpr std::size_t most_of_each = 8;
  std::vector<TransformerTraining> all;
  const std::int64_t experts = workload.model.experts.count;
  if (workload.training.experts.parallel > 1) return all;
  for (std::int32_t ranks = 2; ranks <= std::min<std::int64_t>(experts, platform.npus); ++ranks) {
    if (experts % ranks != 0 || platform.npus % ranks != 0) continue;
    TransformerWorkload spread = workload;
    spread.training.experts.parallel = ranks;
    std::ranges::move(fitting_changes(spread, platform, room, most_of_each),
                      std::back_inserter(all));
  }
  return all;
}

// Of the changes of as few settings as make the model fit, or one more: the first, which adds least
// by rule of thumb, unless another one takes considerably less time by its estimate: a fifth, or a
// tenth where it spreads experts that are whole on each rank.
std::optional<TransformerTraining> change_that_fits(const Experiment& experiment,
                                                    const TransformerWorkload& workload,
                                                    Bytes room) {
  constexpr std::size_t most_estimates = 16;
  const PlatformFacts platform = facts_of(experiment.topology);
  auto changes = fitting_changes(workload, platform, room, most_estimates);
  if (changes.empty()) return std::nullopt;
  if (experiment.npu.peak == FlopRate{}) return changes.front();
  std::ranges::move(changes_with_spread_experts(workload, platform, room),
                    std::back_inserter(changes));
  if (changes.size() == 1) return changes.front();
  const auto [fastest, least] = fastest_of(experiment, changes);
  const bool spreads = fastest.experts.parallel != workload.training.experts.parallel;
  const std::int64_t first = fastest_of(experiment, {changes.front()}).iteration.value;
  return least.value < first / 10 * (spreads ? 9 : 8) ? fastest : changes.front();
}

// "write tensor: 8, sharding: zero1, which needs 77.05 GB"; nothing if no choice is allowed.
std::optional<std::string> remedy_that_fits(const Experiment& experiment) {
  const auto* workload = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (workload == nullptr || experiment.topology.levels.empty()) return std::nullopt;
  const Bytes room = room_without_fragments(experiment.npu);
  if (const auto change = change_that_fits(experiment, *workload, room))
    return written_as(experiment, *change);
  const TrainingVariants variants(experiment, {});
  return remedy_of_all(variants, *workload, room);
}

void add_notice(std::vector<std::string>& notices, const std::string& job,
                const WorkloadSpec& workload, const NpuSpec& npu,
                const std::function<std::optional<std::string>()>& fitting) {
  const auto* training = std::get_if<TransformerWorkload>(&workload.what);
  if (training == nullptr) return;
  const auto [fullest, most] = fullest_stage(*training);
  const std::string whose = job.empty() ? "" : "job " + job + ": ";
  if (most.total() + npu.reserve <= *npu.memory) {
    const Bytes reserved = reserved_for(most.total(), npu.fragmentation);
    if (reserved + npu.reserve > *npu.memory)
      notices.push_back(fmt::format(
          "{}the model fits only without fragments: an NPU of stage {} needs {}, an allocator that "
          "reserves {} more (platform.npu.fragmentation) {}, and it has {}; {}",
          whose, fullest, to_text(most.total()), share_text(npu.fragmentation), to_text(reserved),
          to_text(*npu.memory - npu.reserve),
          fitting().value_or(remedy_of_largest(most, training->training))));
    return;
  }
  std::string reserve =
      npu.reserve > Bytes{} ? fmt::format(", {} of it reserved", to_text(npu.reserve)) : "";
  if (npu.preset == "a100") reserve += ", ASSUMED: an A100 of 80 GB is npu: a100-80gb";
  notices.push_back(
      fmt::format("{}the model does not fit: an NPU of stage {} needs {} and has {}{} ({}); {}",
                  whose, fullest, to_text(most.total()), to_text(*npu.memory), reserve, kinds(most),
                  fitting().value_or(remedy_of_largest(most, training->training))));
}

}  // namespace

Bytes reserved_for(Bytes allocated, Share fragmentation) {
  const double more = static_cast<double>(fragmentation.part) /
                      static_cast<double>(fragmentation.whole) *
                      static_cast<double>(allocated.value);
  return allocated + Bytes{std::llround(more)};
}

std::vector<std::string> memory_notices(const Experiment& experiment) {
  std::vector<std::string> notices;
  if (!experiment.npu.memory) return notices;
  add_notice(notices, "", experiment.workload, experiment.npu,
             [&] { return remedy_that_fits(experiment); });
  if (const auto* several = std::get_if<JobsSpec>(&experiment.workload.what))
    for (const PlacedWorkload& job : several->jobs)
      // A job has a part of the ranks, which the choices of a search do not know.
      add_notice(notices, job.name, job.workload, experiment.npu, [] { return std::nullopt; });
  return notices;
}

}  // namespace orrery
