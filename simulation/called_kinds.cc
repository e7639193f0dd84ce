#include "simulation/called_kinds.h"

#include <variant>

#include "workload/graph/graph.h"

namespace orrery {

std::set<Collective> called_kinds(const WorkloadSpec& workload) {
  std::set<Collective> called;
  if (const auto* jobs = std::get_if<JobsSpec>(&workload.what)) {
    for (const PlacedWorkload& job : jobs->jobs) called.merge(called_kinds(job.workload));
  } else if (const auto* program = std::get_if<ProgramSpec>(&workload.what)) {
    for (const ProgramSpec::Part& part : program->parts)
      for (const ProgramSpec::Step& step : part.steps)
        if (const auto* call = std::get_if<CollectiveCall>(&step.operation.what))
          called.insert(call->kind);
  } else if (const auto* trace = std::get_if<GraphWorkload>(&workload.what)) {
    for (const auto& graph : trace->graphs)
      for (const Operation& operation : graph->operations())
        if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
          called.insert(call->kind);
  } else if (std::holds_alternative<DlrmSpec>(workload.what)) {
    called = {Collective::all_reduce, Collective::all_to_all};
  } else if (const auto* transformer = std::get_if<TransformerWorkload>(&workload.what)) {
    called = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather};
    if (transformer->model.experts.count > 0 || transformer->training.context > 1)
      called.insert({Collective::all_to_all, Collective::all_to_allv});
  } else if (const auto* stack = std::get_if<StackTraining>(&workload.what)) {
    if (stack->servers.empty()) called = {Collective::all_reduce};
  }
  return called;
}

}  // namespace orrery
