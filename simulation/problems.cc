#include "simulation/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/config_error.h"
#include "network/problems.h"
#include "simulation/called_kinds.h"
#include "simulation/named_for_all.h"
#include "simulation/timed_work.h"
#include "system/npu_presets.h"
#include "system/problems.h"
#include "workload/problems.h"

namespace orrery {

namespace {

bool has_trace(const WorkloadSpec& workload) {
  if (const auto* jobs = std::get_if<JobsSpec>(&workload.what))
    return std::ranges::any_of(jobs->jobs,
                               [](const PlacedWorkload& job) { return has_trace(job.workload); });
  return std::holds_alternative<GraphWorkload>(workload.what);
}

}  // namespace

namespace {

// The rate of 16 bits is not that of others.
void check_data_types(SpecProblems& problems, const std::string& path, const WorkloadSpec& workload,
                      const NpuSpec& npu) {
  if (const auto* several = std::get_if<JobsSpec>(&workload.what))
    for (std::size_t i = 0; i < several->jobs.size(); ++i)
      check_data_types(problems, item_key(path + ".jobs", i), several->jobs[i].workload, npu);
  const auto* transformer = std::get_if<TransformerWorkload>(&workload.what);
  const NpuPreset* device = find_npu_preset(npu.preset);
  if (transformer == nullptr || device == nullptr || npu.peak != device->peak) return;
  const TransformerSpec& model = transformer->model;
  if (model.eight_bit_products && device->eight_bit_peak == FlopRate{})
    problems.push_back({path + ".transformer.eight_bit_products",
                        fmt::format("{} has no unit for 8-bit floating point", device->name),
                        "leave eight_bit_products out"});
  if (model.element == Bytes{4} && !model.eight_bit_products)
    problems.push_back({path + ".transformer.data_type",
                        fmt::format("the rate of {} is that of 16 bits", device->name),
                        "write platform.npu.peak, the rate of its products in fp32"});
}

}  // namespace

SpecProblems problems_of_units(const WorkloadSpec& workload, const NpuSpec& npu) {
  SpecProblems problems;
  if (computes_times(workload) && npu.peak <= FlopRate{})
    problems.push_back({"platform.npu", "the key \"peak\" is missing",
                        "the model needs it to time its layers: write for example "
                        "{peak: 60 TFLOP/s} or {preset: v100}"});
  check_data_types(problems, "workload", workload, npu);
  return problems;
}

SpecProblems problems_of_use(const Experiment& experiment) {
  SpecProblems problems = problems_of_units(experiment.workload, experiment.npu);
  for (SpecProblem& problem : problems_of_names(experiment)) problems.push_back(std::move(problem));
  return problems;
}

SpecProblems problems_of(const Experiment& experiment) {
  SpecProblems problems;
  const TopologySpec& topology = experiment.topology;
  add_below(problems, "platform.topology", problems_of(topology));
  if (!problems.empty()) return problems;
  const PlatformFacts platform = facts_of(topology);
  const NpuSpec& npu = experiment.npu;
  add_below(problems, "platform.npu", problems_of(npu.variation, platform.npus));
  add_below(problems, "platform.npu.efficiency", problems_of(npu.efficiency));
  const std::set<Collective> kinds = called_kinds(experiment.workload);
  const std::vector<Collective> called(kinds.begin(), kinds.end());
  add_below(problems, "system", problems_of(experiment.system, topology, called));
  add_below(problems, "network", problems_of(experiment.network, topology));
  add_below(problems, "workload", problems_of(experiment.workload, platform));
  for (SpecProblem& problem : problems_of_use(experiment)) problems.push_back(std::move(problem));
  if (has_trace(experiment.workload) && experiment.system.sm_tax.part > 0)
    problems.push_back({"system.sm_tax", "recorded times contain what communication took",
                        "leave the key out: the library's channels slow times that are computed"});
  return problems;
}

namespace {

void refuse(SpecProblems problems) {
  std::vector<Diagnostic> diagnostics;
  for (SpecProblem& problem : problems) {
    Diagnostic& diagnostic = diagnostics.emplace_back();
    diagnostic.path = std::move(problem.key);
    diagnostic.what = std::move(problem.what);
    diagnostic.remedy = std::move(problem.remedy);
  }
  if (!diagnostics.empty()) throw ConfigError(std::move(diagnostics));
}

}  // namespace

void refuse_problems(const Experiment& experiment) { refuse(problems_of(experiment)); }

void refuse_problems_of_network(const Experiment& experiment) {
  SpecProblems problems;
  add_below(problems, "network", problems_of(experiment.network, experiment.topology));
  refuse(std::move(problems));
}

}  // namespace orrery
