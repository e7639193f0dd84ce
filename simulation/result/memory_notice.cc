#include "simulation/result/memory_notice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"
#include "workload/memory/stage_memory.h"

namespace orrery {

namespace {

// What would make the largest kind smaller.
std::string remedy(const StageMemory& memory, const TransformerTraining& training) {
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

void add_notice(std::vector<std::string>& notices, const std::string& job,
                const WorkloadSpec& workload, const NpuSpec& npu) {
  const auto* training = std::get_if<TransformerWorkload>(&workload.what);
  if (training == nullptr) return;
  std::int32_t fullest = 0;
  StageMemory most = stage_memory(*training, 0);
  for (std::int32_t stage = 1; stage < training->training.pipeline; ++stage) {
    const StageMemory memory = stage_memory(*training, stage);
    if (memory.total() <= most.total()) continue;
    most = memory;
    fullest = stage;
  }
  if (most.total() + npu.reserve <= *npu.memory) return;
  const std::string reserve =
      npu.reserve > Bytes{} ? fmt::format(", {} of it reserved", to_text(npu.reserve)) : "";
  notices.push_back(
      fmt::format("{}the model does not fit: an NPU of stage {} needs {} and has {}{} ({}); {}",
                  job.empty() ? "" : "job " + job + ": ", fullest, to_text(most.total()),
                  to_text(*npu.memory), reserve, kinds(most), remedy(most, training->training)));
}

}  // namespace

std::vector<std::string> memory_notices(const Experiment& experiment) {
  std::vector<std::string> notices;
  if (!experiment.npu.memory) return notices;
  add_notice(notices, "", experiment.workload, experiment.npu);
  if (const auto* several = std::get_if<JobsSpec>(&experiment.workload.what))
    for (const PlacedWorkload& job : several->jobs)
      add_notice(notices, job.name, job.workload, experiment.npu);
  return notices;
}

}  // namespace orrery
