#include "simulation/problems.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/config_error.h"
#include "network/problems.h"
#include "system/problems.h"
#include "workload/problems.h"

namespace orrery {

namespace {

// The layers of a model are timed, those of a table and the operations of a program have times.
bool has_model(const WorkloadSpec& workload) {
  if (const auto* jobs = std::get_if<JobsSpec>(&workload.what))
    return std::ranges::any_of(jobs->jobs,
                               [](const PlacedWorkload& job) { return has_model(job.workload); });
  return !std::holds_alternative<LayerTableWorkload>(workload.what) &&
         !std::holds_alternative<ProgramSpec>(workload.what);
}

// The kinds of collectives that a workload may call, as far as it says so by itself.
std::set<Collective> called_by(const WorkloadSpec& workload) {
  std::set<Collective> called;
  if (const auto* jobs = std::get_if<JobsSpec>(&workload.what)) {
    for (const PlacedWorkload& job : jobs->jobs) called.merge(called_by(job.workload));
  } else if (const auto* program = std::get_if<ProgramSpec>(&workload.what)) {
    for (const ProgramSpec::Part& part : program->parts)
      for (const ProgramSpec::Step& step : part.steps)
        if (const auto* call = std::get_if<CollectiveCall>(&step.operation.what))
          called.insert(call->kind);
  } else if (std::holds_alternative<DlrmSpec>(workload.what)) {
    called = {Collective::all_reduce, Collective::all_to_all};
  } else if (std::holds_alternative<TransformerWorkload>(workload.what)) {
    called = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather};
  } else if (const auto* stack = std::get_if<StackTraining>(&workload.what)) {
    if (stack->servers.empty()) called = {Collective::all_reduce};
  }
  return called;
}

}  // namespace

SpecProblems problems_of(const Experiment& experiment) {
  SpecProblems problems;
  const TopologySpec& topology = experiment.topology;
  add_below(problems, "platform.topology", problems_of(topology));
  if (!problems.empty()) return problems;
  const PlatformFacts platform = facts_of(topology);
  const NpuSpec& npu = experiment.npu;
  add_below(problems, "platform.npu", problems_of(npu.variation, platform.npus));
  add_below(problems, "platform.npu.efficiency", problems_of(npu.efficiency));
  const std::set<Collective> kinds = called_by(experiment.workload);
  const std::vector<Collective> called(kinds.begin(), kinds.end());
  add_below(problems, "system", problems_of(experiment.system, topology, called));
  add_below(problems, "network", problems_of(experiment.network, topology));
  add_below(problems, "workload", problems_of(experiment.workload, platform));
  if (has_model(experiment.workload) && npu.peak <= FlopRate{})
    problems.push_back({"platform.npu", "the key \"peak\" is missing",
                        "the model needs it to time its layers: write for example "
                        "{peak: 60 TFLOP/s} or {preset: v100}"});
  return problems;
}

void refuse_problems(const Experiment& experiment) {
  std::vector<Diagnostic> diagnostics;
  for (SpecProblem& problem : problems_of(experiment)) {
    Diagnostic& diagnostic = diagnostics.emplace_back();
    diagnostic.path = std::move(problem.key);
    diagnostic.what = std::move(problem.what);
    diagnostic.remedy = std::move(problem.remedy);
  }
  if (!diagnostics.empty()) throw ConfigError(std::move(diagnostics));
}

}  // namespace orrery
