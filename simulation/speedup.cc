#include "simulation/speedup.h"

#include <map>
#include <utility>

#include "simulation/collective_operations.h"
#include "simulation/simulate.h"

namespace orrery {

namespace {

// Samples of a rank in an iteration, if all that the ranks exchange they exchange all together.
std::optional<std::int64_t> samples_of_rank(const WorkloadSpec& workload) {
  if (const auto* stack = std::get_if<StackTraining>(&workload.what))
    return stack->servers.empty() ? std::optional(stack->batch) : std::nullopt;
  const auto* transformer = std::get_if<TransformerWorkload>(&workload.what);
  if (transformer == nullptr) return std::nullopt;
  const TransformerTraining& training = transformer->training;
  if (training.tensor * training.pipeline * training.context > 1 || training.shard_group > 0 ||
      transformer->model.experts.count > 0)
    return std::nullopt;
  return training.global_batch / training.data;
}

// Alone, on all ranks.
Duration time_alone(const Experiment& platform, Collective kind, Bytes size) {
  ProgramSpec::Step step{};
  step.operation = {0, -1, CollectiveCall{kind, 0, size, Priority::normal, {}}};
  step.wait = true;
  ProgramSpec program;
  program.parts.push_back({{}, {step}});
  Experiment alone = platform;
  alone.workload = {std::move(program), 1, {}};
  return simulate(alone).finish;
}

}  // namespace

std::optional<double> predicted_speedup(const Experiment& here, const RunResult& profile,
                                        const Experiment& there) {
  const auto samples = samples_of_rank(here.workload);
  if (!samples || samples != samples_of_rank(there.workload) || here.npu.peak != there.npu.peak ||
      profile.partial)
    return std::nullopt;
  std::map<std::pair<std::string, std::int64_t>, double> slower;  // there, 1 / eff
  auto predicted = static_cast<double>((profile.finish - profile.exposed).value);
  for (const LayerRow& row : profile.layers) {
    if (row.exposed == Duration{}) continue;
    const std::optional<Collective> kind = find_simulated(row.collective);
    if (!kind) return std::nullopt;
    const auto [known, is_new] = slower.try_emplace({row.collective, row.bytes.value}, 1);
    if (is_new) {
      known->second = static_cast<double>(time_alone(there, *kind, row.bytes).value) /
                      static_cast<double>(time_alone(here, *kind, row.bytes).value);
    }
    predicted += static_cast<double>(row.exposed.value) * known->second;
  }
  return static_cast<double>(profile.finish.value) / predicted;
}

}  // namespace orrery
