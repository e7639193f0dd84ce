#include "simulation/one_collective.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "simulation/backend_choice.h"
#include "workload/platform_facts.h"

namespace orrery {

Experiment one_collective(const Experiment& platform, Collective kind, Bytes size,
                          std::int32_t skew) {
  CollectiveCall call{};
  call.kind = kind;
  call.size = size;
  // As gradients are; a barrier, and what goes from each to each, comes whole.
  const bool is_of_gradients = kind == Collective::all_reduce ||
                               kind == Collective::reduce_scatter || kind == Collective::all_gather;
  if (is_of_gradients) call.tensor.way = TensorWay::push;
  if (kind == Collective::all_to_allv) {
    const std::int32_t ranks = facts_of(platform.topology).npus;
    std::vector<std::int64_t> weights(static_cast<std::size_t>(ranks), 1);
    weights[0] = skew;
    call.pair_sizes = std::make_shared<PairSizes>(PairSizes::weighted(ranks, size, weights));
  }
  ProgramSpec::Step step;
  step.operation.what = call;
  step.wait = true;
  ProgramSpec program;
  program.parts.push_back({{}, {step}});
  Experiment experiment = platform;
  experiment.workload = {program, 1, {}};
  choose_open_backend(experiment, PacketsOf::any_size);  // its sizes stand in one table
  return experiment;
}

std::string algorithm_name(const CollectiveSpec& spec) {
  const std::vector<NamedAlgorithm>& all = spec.algorithms;
  if (std::count(all.begin(), all.end(), all.front()) == std::ssize(all)) return all.front().name;
  return names_of(all, "+");
}

}  // namespace orrery
