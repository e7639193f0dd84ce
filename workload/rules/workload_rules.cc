// What all workloads have in common, and those without a model.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/memory_limit.h"
#include "core/base/quoted.h"
#include "system/operation_source.h"
#include "workload/operation_counts.h"
#include "workload/problems.h"
#include "workload/rank_claims.h"

namespace orrery {

namespace {

struct Rules {
  const PlatformFacts& platform;

  SpecProblems operator()(const DlrmSpec& spec) const {
    return below("model", problems_of(spec, platform));
  }
  SpecProblems operator()(const LayerTableWorkload& spec) const {
    return problems_of(spec, platform);
  }
  SpecProblems operator()(const ProgramSpec& spec) const { return problems_of(spec, platform); }
  SpecProblems operator()(const TransformerWorkload& spec) const {
    return problems_of(spec, platform);
  }
  SpecProblems operator()(const StackTraining& spec) const {
    return below("data_parallel", problems_of(spec, platform));
  }
  SpecProblems operator()(const GraphWorkload& spec) const { return problems_of(spec, platform); }
  SpecProblems operator()(const JobsSpec& spec) const { return problems_of(spec, platform); }

  static SpecProblems below(std::string_view part, SpecProblems problems) {
    SpecProblems all;
    add_below(all, part, std::move(problems));
    return all;
  }
};

}  // namespace

namespace {

// Of a table whose policy counts ranks.
SpecProblems problems_of_groups(const TransformerGroups& groups, const PlatformFacts& platform) {
  const std::int64_t npus = platform.npus;
  if (groups.ranks > 0 && npus != groups.ranks && npus * groups.stages != groups.ranks)
    return {
        {"text",
         fmt::format("the file is of {} ranks, and the platform has {} NPUs", groups.ranks, npus),
         groups.stages == 1
             ? fmt::format("take a platform of {} NPUs, or correct all_gpus", groups.ranks)
             : fmt::format("take a platform of {} NPUs, or of the {} of one stage", groups.ranks,
                           groups.ranks / groups.stages)}};
  const std::int64_t row = std::int64_t{groups.tensor} *
                           stages_among(groups, static_cast<std::int32_t>(npus)) * groups.experts;
  if (npus % row == 0) return {};
  return {{"text",
           fmt::format("cuts {} NPUs into groups of model_parallel_NPU_group {} x ep {} x pp {}",
                       npus, groups.tensor, groups.experts, groups.stages),
           fmt::format("take a platform of a multiple of {} NPUs", row)}};
}

}  // namespace

SpecProblems problems_of(const LayerTableWorkload& workload, const PlatformFacts& platform) {
  if (platform.known && workload.table.policy == ParallelismPolicy::hybrid_transformer)
    return problems_of_groups(workload.table.groups, platform);
  const std::vector<int>& dimensions = workload.dimensions;
  const std::size_t levels = platform.levels.size();
  if (!platform.known || dimensions.empty()) return {};
  if (dimensions.size() != levels)
    return {{"dimensions", fmt::format("{} of {} levels are named", dimensions.size(), levels),
             "name every level once"}};
  for (std::size_t i = 0; i < levels; ++i)
    if (std::ranges::count(dimensions, static_cast<int>(i)) != 1)
      return {
          {"dimensions", fmt::format("level {} is not named once", i), "name every level once"}};
  return {};
}

SpecProblems problems_of_names(const JobsSpec& jobs) {
  SpecProblems problems;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
    const std::string& name = jobs.jobs[i].name;
    if (std::ranges::find(names, name) != names.end())
      problems.push_back({item_key("jobs", i), in_quotes(name) + " is the name of an earlier job",
                          "choose another, so that reports can tell them apart"});
    names.push_back(name);
  }
  return problems;
}

SpecProblems problems_of(const JobsSpec& jobs, const PlatformFacts& platform) {
  SpecProblems problems = problems_of_names(jobs);
  RankClaims claims(platform.npus, {"NPU", "job"});
  for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
    const auto& [name, npus, start, workload] = jobs.jobs[i];
    const std::string key = item_key("jobs", i);
    if (npus.empty() || !std::ranges::is_sorted(npus))
      problems.push_back({key + ".npus", "these NPUs do not ascend", "name them in their order"});
    std::vector<Rank> claimed;
    for (const Rank npu : npus)
      if (const auto taken =
              claims.claim(key + ".npus", {npu, npu}, static_cast<std::int32_t>(i), claimed))
        problems.push_back(*taken);
    PlatformFacts own = platform;
    own.npus = static_cast<std::int32_t>(npus.size());
    add_below(problems, key, problems_of(workload, own));
  }
  return problems;
}

SpecProblems problems_of_iterations(const WorkloadSpec& workload) {
  SpecProblems problems;
  check_at_least(problems, "iterations", workload.iterations, 1);
  if (std::holds_alternative<GraphWorkload>(workload.what) && workload.iterations > 1)
    problems.push_back({"iterations", "a trace runs once",
                        "leave the key out: the trace says how many iterations it holds"});
  const auto* transformer = std::get_if<TransformerWorkload>(&workload.what);
  if (transformer != nullptr && transformer->training.data == 0)
    return problems;  // no platform yet
  const double operations = operations_at_least(workload) * workload.iterations;
  std::string why = why_no_memory(operations * sizeof(Operation));
  if (why.empty() && operations > std::numeric_limits<std::int32_t>::max())
    why = "are more than 2147483647";
  if (!why.empty())
    problems.push_back({"iterations",
                        fmt::format("the operations of {} iterations {}", workload.iterations, why),
                        "write fewer: one or two show what an iteration takes"});
  return problems;
}

SpecProblems problems_of(const WorkloadSpec& workload, const PlatformFacts& platform) {
  SpecProblems problems = std::visit(Rules{platform}, workload.what);
  if (problems.empty()) problems = problems_of_iterations(workload);
  return problems;
}

}  // namespace orrery
