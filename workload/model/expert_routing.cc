#include "workload/model/expert_routing.h"

#include <algorithm>
#include <cmath>

namespace orrery {

std::int64_t routed_tokens(const TransformerWorkload& workload) {
  const TransformerTraining& training = workload.training;
  const std::int64_t tokens = training.micro_batch * workload.model.sequence / training.context;
  return training.sequence_parallel ? tokens / training.tensor : tokens;
}

std::int64_t expert_capacity(const ExpertsSpec& experts, const ExpertTraining& training,
                             std::int64_t tokens) {
  const std::int64_t all = tokens * experts.top_k;
  if (training.capacity == 0) return all;
  const double share = static_cast<double>(all) / static_cast<double>(experts.count);
  return static_cast<std::int64_t>(std::ceil(training.capacity * share));
}

std::int64_t copies_of_rank(const ExpertsSpec& experts, const ExpertTraining& training,
                            std::int64_t tokens) {
  const std::int64_t all = tokens * experts.top_k;
  if (training.capacity == 0) return all;
  const std::int64_t room = experts.count * expert_capacity(experts, training, tokens);
  return training.capacity_mode == CapacityMode::pad ? room : std::min(all, room);
}

namespace {

// Probability that k of n, drawn at once, are all among the n - taken others.
double none_of(std::int64_t taken, std::int64_t n, std::int64_t k) {
  double probability = 1;
  for (std::int64_t i = 0; i < k; ++i)
    probability *=
        static_cast<double>(std::max<std::int64_t>(0, n - taken - i)) / static_cast<double>(n - i);
  return probability;
}

double choose(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return 0;
  double ways = 1;
  for (std::int64_t i = 0; i < k; ++i)
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return ways;
}

}  // namespace

// The number of a node's groups that are chosen is hypergeometric, then that of its experts among
// all that may be chosen. A node that has part of a group counts as touching it.
double expected_nodes(const ExpertsSpec& experts, std::int32_t nodes) {
  const std::int64_t groups = std::max<std::int64_t>(1, experts.groups);
  const std::int64_t limit = std::min(groups, std::max<std::int64_t>(1, experts.group_limit));
  const std::int64_t of_group = experts.count / groups;
  const std::int64_t touched = std::max<std::int64_t>(1, groups / nodes);
  const std::int64_t of_group_here = std::min(of_group, experts.count / nodes);
  double some = 0;
  for (std::int64_t x = 0; x <= std::min(touched, limit); ++x) {
    const double likely =
        choose(touched, x) * choose(groups - touched, limit - x) / choose(groups, limit);
    some += likely * (1 - none_of(x * of_group_here, limit * of_group, experts.top_k));
  }
  return some * nodes;
}

}  // namespace orrery
