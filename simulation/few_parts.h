// An experiment with few iterations and micro-batches, from which sums over all of them follow.
#pragma once

#include <cstdint>
#include <map>
#include <variant>
#include <vector>

#include "simulation/experiment.h"
#include "workload/few_batches.h"

namespace orrery {

// The workload and those of its jobs.
template <class Workload>  // WorkloadSpec, const or not
std::vector<Workload*> parts_of(Workload& workload) {
  std::vector<Workload*> parts = {&workload};
  if (auto* several = std::get_if<JobsSpec>(&workload.what))
    for (auto& job : several->jobs) parts.push_back(&job.workload);
  return parts;
}

// sum(few) adds up something over all operations of a job; more.grow(last, before, times) adds to a
// sum `times` as often what is in one and not in another. Then this is the sum over the job of
// `experiment`, whose experts are not drawn.
template <class Sum>
auto sum_of_all_batches(const Experiment& experiment, const Sum& sum) {
  Experiment few = experiment;
  struct Part {
    TransformerTraining& training;
    FewBatches batches;
  };
  std::map<std::int32_t, std::vector<Part>> parts;  // by their repeats
  for (WorkloadSpec* part : parts_of(few.workload))
    if (auto* transformer = std::get_if<TransformerWorkload>(&part->what))
      if (const auto batches = few_batches(transformer->training)) {
        parts[batches->repeats].push_back({transformer->training, *batches});
        set_micro_batches(transformer->training, batches->few + batches->period);
      }
  const auto last = sum(few);
  auto all = last;
  for (const auto& [repeats, alike] : parts) {
    for (const Part& part : alike) set_micro_batches(part.training, part.batches.few);
    all.grow(last, sum(few), repeats - 1);
    for (const Part& part : alike)
      set_micro_batches(part.training, part.batches.few + part.batches.period);
  }
  return all;
}

// The same of iterations: two of each job, as each after the first one does what the second does.
template <class Sum>
auto sum_of_all_iterations(const Experiment& experiment, const Sum& sum) {
  constexpr std::int32_t most = 2;
  Experiment few = experiment;
  std::map<std::int32_t, std::vector<WorkloadSpec*>> parts;  // by how many iterations they lack
  for (WorkloadSpec* part : parts_of(few.workload)) {
    if (part->iterations <= most) continue;
    parts[part->iterations - most].push_back(part);
    part->iterations = most;
  }
  const auto last = sum(few);
  auto all = last;
  for (const auto& [lacking, alike] : parts) {
    for (WorkloadSpec* part : alike) part->iterations = most - 1;
    all.grow(last, sum(few), lacking);
    for (WorkloadSpec* part : alike) part->iterations = most;
  }
  return all;
}

}  // namespace orrery
