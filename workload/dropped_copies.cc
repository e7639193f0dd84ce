#include "workload/dropped_copies.h"

#include <algorithm>
#include <numeric>

#include "workload/model/expert_loads.h"
#include "workload/model/expert_routing.h"

namespace orrery {

namespace {

double kept(const ExpertLoads::Counts& counts) {
  return static_cast<double>(
      std::accumulate(counts.arriving.begin(), counts.arriving.end(), std::int64_t{0}));
}

double kept_of_draws(const TransformerWorkload& workload, std::int64_t tokens) {
  constexpr std::int64_t most_draws = 1'000'000;
  const ExpertsSpec& experts = workload.model.experts;
  const std::int64_t ranks = workload.training.experts.parallel;
  ExpertLoads loads(workload, tokens);
  double sum = 0, all = 0;
  for (std::int32_t layer = 0; layer < workload.model.layers; ++layer) {
    if (!experts.in_layer(layer)) continue;
    sum += kept(loads.counts({.layer = layer}));
    all += static_cast<double>(ranks * tokens * experts.top_k);
    if (layer * ranks * experts.count > most_draws) break;
  }
  return all > 0 ? sum / all : 1;
}

}  // namespace

double dropped_copies(const TransformerWorkload& workload) {
  const ExpertsSpec& experts = workload.model.experts;
  const ExpertTraining& training = workload.training.experts;
  if (experts.count == 0 || training.capacity == 0) return 0;
  const std::int64_t tokens = routed_tokens(workload), all = tokens * experts.top_k;
  if (training.is_drawn()) return 1 - kept_of_draws(workload, tokens);
  const std::int64_t sent = std::min(all, copies_of_rank(experts, training, tokens));
  return 1 - static_cast<double>(sent) / static_cast<double>(all);
}

}  // namespace orrery
