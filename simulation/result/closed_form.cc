#include "simulation/result/closed_form.h"

#include <algorithm>
#include <optional>

#include "workload/parallelism/transformer_ranks.h"
#include "workload/training_estimate.h"

namespace orrery {

namespace {

// The least bandwidth of the levels in which `count` ranks at a distance of `stride` differ.
Bandwidth slowest_level(const Topology& topology, std::int32_t count, std::int32_t stride) {
  std::optional<Bandwidth> slowest;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const Bandwidth bandwidth = topology.levels()[level].bandwidth;
    for (std::int32_t i = 1; i < count; ++i)
      if (topology.coordinate({i * stride}, level) != 0)
        slowest = std::min(slowest.value_or(bandwidth), bandwidth);
  }
  return slowest.value_or(topology.levels().front().bandwidth);  // a group of one sends nothing
}

EstimateRates rates_of(const Experiment& experiment, const TransformerTraining& training,
                       const Topology& topology) {
  const TransformerRanks ranks(training);
  const Share reached = experiment.npu.efficiency.matrix;
  const auto wide = static_cast<units_internal::Unsigned128>(experiment.npu.peak.value);
  return {{static_cast<std::int64_t>(wide * static_cast<std::uint64_t>(reached.part) /
                                     static_cast<std::uint64_t>(reached.whole))},
          slowest_level(topology, ranks.tensor, 1),
          slowest_level(topology, ranks.pipeline, ranks.pipeline_stride),
          slowest_level(topology, ranks.data, ranks.data_stride)};
}

Duration time_of(const StageRow& stage, const std::string& name) {
  for (const TrainingPart& part : training_parts(stage))
    if (part.name == name) return part.time;
  return {};
}

Duration hidden_of(const StageRow& stage, const std::string& kind) {
  for (const TrafficRow& row : stage.traffic)
    if (row.kind == kind) return row.hidden;
  return {};
}

}  // namespace

std::string why_no_closed_form(const Experiment& experiment, const TransformerWorkload& workload,
                               const Topology& topology) {
  using enum PipelineSchedule;
  const TransformerTraining& training = workload.training;
  if (workload.model.experts.count > 0) return "it knows no experts";
  if (workload.model.latent) return "it knows no latent attention";
  if (training.context > 1) return "it knows no context parallelism";
  if (training.schedule != gpipe && training.schedule != one_forward_one_backward &&
      training.schedule != interleaved)
    return "its bubble is that of gpipe, 1f1b and interleaved";
  if (training.sharding == Sharding::zero3 || training.accumulates() == Accumulation::reduced)
    return "it exchanges gradients once an iteration";
  if (training.shard_group > 0) return "it knows one group of replicas";
  if (!topology.structural()) return "the wires are a graph, whose bandwidths it does not know";
  if (experiment.npu.peak == FlopRate{}) return "the NPU has no peak";
  return "";
}

std::vector<EstimateRow> closed_form(const Experiment& experiment,
                                     const TransformerWorkload& workload, const Topology& topology,
                                     const StageRow& first) {
  const TrainingEstimate found =
      estimate(workload, rates_of(experiment, workload.training, topology));
  const std::int32_t iterations = experiment.workload.iterations;
  const auto of_iteration = [&](Duration time) { return Duration{time.value / iterations}; };
  const Duration compute = first.forward + first.backward;
  std::vector<EstimateRow> rows{{"compute", found.compute, of_iteration(compute), {}}};
  Duration rest = first.finish - compute;
  const auto add = [&](const char* part, Duration estimated) {
    const Duration simulated = time_of(first, part);
    rest -= simulated;
    rows.push_back(
        {part, estimated, of_iteration(simulated), of_iteration(hidden_of(first, part))});
  };
  add("TP", found.tensor);
  add("PP", found.pipeline);
  add("bubble", found.bubble);
  add("DP", found.data);
  add("embedding", found.embedding);
  rows.push_back({"the rest", Duration{}, of_iteration(rest), {}});
  rows.push_back({"iteration", found.iteration(), of_iteration(first.finish), {}});
  return rows;
}

}  // namespace orrery
