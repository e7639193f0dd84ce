#include "simulation/result/memory_notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/share_text.h"
#include "core/units/unit_text.h"
#include "simulation/search/fitting.h"
#include "simulation/search/least_memory.h"
#include "simulation/search/training_variants.h"
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
  if (training.replicas() > 1 && training.sharding != Sharding::zero3)
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

ParallelChoice choice_of(const TransformerTraining& training) {
  return {.tensor = training.tensor,
          .pipeline = training.pipeline,
          .context = training.context,
          .expert = training.experts.parallel,
          .chunks = training.chunks,
          .micro_batch = training.micro_batch,
          .schedule = training.schedule,
          .sharding = training.sharding,
          .recompute = training.recompute};
}

// What sharding more adds in traffic, in the prices below. Of a job that has neither tensors nor
// stages split it is what the field does first (FSDP), and hides behind computing.
int price_of(Sharding sharding, const ParallelChoice& written) {
  const bool only_data = written.tensor == 1 && written.pipeline == 1;
  switch (sharding) {
    case Sharding::none:
    case Sharding::zero1:
      return 1;
    case Sharding::zero2:
      return only_data ? 2 : 7;
    case Sharding::zero3:
      return only_data ? 3 : 8;
  }
  return 0;
}

// Choices that need less memory, those first that cost least: fewer settings before more, and of
// these what adds no work and little traffic before what does.
std::vector<ParallelChoice> smaller_choices(const ParallelChoice& written,
                                            std::int32_t node_ranks) {
  std::vector<std::pair<int, ParallelChoice>> priced;
  constexpr int setting = 100;  // more than what follows adds up to
  constexpr int twice_at_most = 3;
  for (int t = 0; t <= twice_at_most && written.tensor << t <= node_ranks; ++t)
    for (int p = 0; p <= twice_at_most; ++p)
      for (const Sharding sharding :
           {written.sharding, Sharding::zero1, Sharding::zero2, Sharding::zero3})
        for (const Recompute recompute : {written.recompute, Recompute::full}) {
          ParallelChoice choice = written;
          choice.tensor <<= t;
          choice.pipeline <<= p;
          choice.sharding = std::max(written.sharding, sharding);
          choice.recompute = recompute;
          const bool shards = choice.sharding != written.sharding;
          const bool recomputes = recompute != written.recompute;
          const int settings = (t > 0) + (p > 0) + shards + recomputes;
          const int cost = shards * price_of(sharding, written) + t * 2 + (t > 0) * 2 + p * 3 +
                           (p > 0) * 4 + recomputes * 6;
          if (settings > 0) priced.emplace_back(settings * setting + cost, choice);
        }
  std::ranges::stable_sort(priced, {}, &std::pair<int, ParallelChoice>::first);
  std::vector<ParallelChoice> choices;
  for (auto& [price, choice] : priced) choices.push_back(choice);
  return choices;
}

std::string settings_of(const ParallelChoice& choice, const ParallelChoice& written,
                        bool sequence_parallel_too) {
  std::string text;
  const auto add = [&](std::string_view key, const auto& value, const auto& before) {
    if (value != before) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
  };
  add("tensor", choice.tensor, written.tensor);
  add("sequence_parallel", sequence_parallel_too, false);
  add("pipeline", choice.pipeline, written.pipeline);
  add("expert", choice.expert, written.expert);
  add("micro_batch", choice.micro_batch, written.micro_batch);
  add("schedule", name_of(choice.schedule), name_of(written.schedule));
  add("sharding", name_of(choice.sharding), name_of(written.sharding));
  add("recompute", name_of(choice.recompute), name_of(written.recompute));
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

std::string written_as(const ParallelChoice& choice, const TransformerTraining& means,
                       const TransformerWorkload& written) {
  return fmt::format("write {}, which needs {}",
                     settings_of(choice, choice_of(written.training),
                                 means.sequence_parallel && !written.training.sequence_parallel),
                     to_text(most_memory({written.model, means})));
}

// Where no setting near the written ones fits: what needs least, or how many NPUs would do.
std::optional<std::string> remedy_of_all(const TrainingVariants& variants,
                                         const TransformerWorkload& workload, Bytes room) {
  const auto least = least_memory(variants);
  if (!least) return std::nullopt;
  if (least->memory <= room) return written_as(least->choice, least->training, workload);
  const StageMemory memory = fullest_stage({workload.model, least->training}).second;
  const Bytes states = memory.parameters + memory.gradients + memory.optimizer;
  const auto npus = least_npus(variants, room);
  return fmt::format(
      "sharded over all {} NPUs it needs {} of each at least, {} of that for parameters, "
      "gradients and optimizer: {}",
      variants.npus(), to_text(least->memory), to_text(states),
      npus ? fmt::format("use {} NPUs or more", *npus)
           : "use devices with more memory, or shorter sequences");
}

// What may be allocated, so that what the allocator reserves fits.
Bytes room_of(const NpuSpec& npu) {
  const Bytes all = *npu.memory - npu.reserve;
  const double share =
      static_cast<double>(npu.fragmentation.part) / static_cast<double>(npu.fragmentation.whole);
  return Bytes{static_cast<std::int64_t>(static_cast<double>(all.value) / (1 + share))};
}

// "write tensor: 8, sharding: zero1, which needs 77.05 GB"; nothing if no choice is allowed.
std::optional<std::string> remedy_that_fits(const Experiment& experiment) {
  const auto* workload = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (workload == nullptr || experiment.topology.levels.empty()) return std::nullopt;
  const TrainingVariants variants(experiment, {});
  const ParallelChoice written = choice_of(workload->training);
  const Bytes room = room_of(experiment.npu);
  for (const ParallelChoice& choice : smaller_choices(written, variants.node_ranks())) {
    const auto training = variants.training(choice);
    const auto* allowed = std::get_if<TransformerTraining>(&training);
    if (allowed != nullptr && most_memory({workload->model, *allowed}) <= room)
      return written_as(choice, *allowed, *workload);
  }
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
          to_text(*npu.memory - npu.reserve), remedy_of_largest(most, training->training)));
    return;
  }
  const std::string reserve =
      npu.reserve > Bytes{} ? fmt::format(", {} of it reserved", to_text(npu.reserve)) : "";
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
