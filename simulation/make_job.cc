#include "simulation/make_job.h"

#include <utility>

#include "workload/graph/placed_jobs.h"
#include "workload/graph/start_skew.h"
#include "workload/parallelism/all_gather_sizes.h"
#include "workload/workload.h"

namespace orrery {

namespace {

Job job_of(const WorkloadSpec& workload, const Topology& topology, std::int32_t ranks,
           std::optional<std::int32_t> all_iterations, std::uint64_t seed, const AskStop& stop) {
  const int levels = static_cast<int>(topology.levels().size());
  const std::int32_t iterations = all_iterations.value_or(workload.iterations);
  if (const auto* program = std::get_if<ProgramSpec>(&workload.what))
    return make_program_job(*program, levels, ranks, iterations, stop);
  if (const auto* graph = std::get_if<GraphWorkload>(&workload.what)) return make_graph_job(*graph);
  if (const auto* layers = std::get_if<LayerTableWorkload>(&workload.what)) {
    LayerTable table = layers->table;
    count_whole_all_gathers(table, topology.levels(), layers->dimensions);
    return make_training_job(table, levels, ranks, layers->dimensions, iterations);
  }
  if (const auto* transformer = std::get_if<TransformerWorkload>(&workload.what)) {
    TransformerWorkload seeded = *transformer;
    seeded.training.experts.load.seed = seed;
    return make_transformer_job(seeded, iterations, stop);
  }
  if (const auto* stack = std::get_if<StackTraining>(&workload.what))
    return make_stack_job(*stack, levels, ranks, iterations);
  const LayerTable table = make_dlrm(std::get<DlrmSpec>(workload.what), ranks);
  return make_training_job(table, levels, ranks, {}, iterations);
}

Job job_in_step(const Experiment& experiment, const Topology& topology,
                std::optional<std::int32_t> iterations, const AskStop& stop) {
  const auto* several = std::get_if<JobsSpec>(&experiment.workload.what);
  if (several == nullptr)
    return job_of(experiment.workload, topology, topology.npu_count(), iterations, experiment.seed,
                  stop);
  std::vector<PlacedJob> jobs;
  for (const auto& [name, npus, start, workload] : several->jobs) {
    const auto ranks = static_cast<std::int32_t>(npus.size());
    jobs.push_back(
        {name, npus, start, job_of(workload, topology, ranks, iterations, experiment.seed, stop)});
  }
  return place_jobs(std::move(jobs), topology);
}

}  // namespace

Job make_job(const Experiment& experiment, const Topology& topology,
             std::optional<std::int32_t> iterations, const AskStop& stop) {
  Job job = job_in_step(experiment, topology, iterations, stop);
  skew_starts(job, experiment.workload.skew, experiment.seed);
  return job;
}

}  // namespace orrery
