#include "simulation/timed_work.h"

#include <algorithm>
#include <variant>

namespace orrery {

bool computes_times(const WorkloadSpec& workload) {
  if (const auto* several = std::get_if<JobsSpec>(&workload.what))
    return std::ranges::any_of(
        several->jobs, [](const PlacedWorkload& job) { return computes_times(job.workload); });
  if (const auto* graph = std::get_if<GraphWorkload>(&workload.what)) return graph->has_sizes;
  return !std::holds_alternative<LayerTableWorkload>(workload.what) &&
         !std::holds_alternative<ProgramSpec>(workload.what);
}

std::string shorter_work(const WorkloadSpec& workload) {
  if (std::holds_alternative<GraphWorkload>(workload.what))
    return computes_times(workload)
               ? "a faster processor (npu.peak), or a smaller workload.trace.compute_scale"
               : "a smaller workload.trace.compute_scale";
  if (std::holds_alternative<LayerTableWorkload>(workload.what))
    return "shorter compute times in the file of workload.text";
  if (std::holds_alternative<ProgramSpec>(workload.what))
    return "shorter compute times in workload.program";
  return computes_times(workload) ? "" : "shorter compute times in workload.jobs";
}

}  // namespace orrery
