#include "workload/few_batches.h"

#include <algorithm>
#include <numeric>

namespace orrery {

std::int32_t period_of(const TransformerTraining& training) {
  constexpr std::int32_t least = 16;  // buckets and gathered units come round, too
  const std::int32_t group = std::max(1, training.micro_batch_group);
  std::int32_t period = 2 * std::lcm(training.pipeline, group);
  while (period < least) period *= 2;
  return period;
}

std::optional<FewBatches> few_batches(const TransformerTraining& training) {
  constexpr std::int64_t worth = 8;  // so that a third of them is written down, at most
  const std::int64_t all = training.micro_batches(), period = period_of(training);
  const std::int64_t few = all % period + (training.deferral_limit / period + 2) * period;
  const std::int64_t repeats = (all - few) / period;
  if (repeats < worth + 2 * (few / period)) return std::nullopt;
  return FewBatches{static_cast<std::int32_t>(few), static_cast<std::int32_t>(period),
                    static_cast<std::int32_t>(repeats)};
}

void set_micro_batches(TransformerTraining& training, std::int64_t count) {
  training.global_batch = count * training.micro_batch * training.data;
}

}  // namespace orrery
