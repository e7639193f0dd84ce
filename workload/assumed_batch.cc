#include "workload/assumed_batch.h"

#include <algorithm>

namespace orrery {

namespace {

constexpr std::int64_t tokens = 1 << 22;

std::int64_t nearest_multiple(std::int64_t samples, std::int64_t unit) {
  return std::max<std::int64_t>(1, (samples + unit / 2) / unit) * unit;
}

}  // namespace

std::int64_t assumed_batch(std::int64_t sequence, const BatchUnit& unit) {
  return nearest_multiple(tokens / sequence, unit.data * unit.micro_batch * unit.pipeline);
}

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, std::int64_t micro_batch) {
  std::int64_t replicas = ranks;
  while (replicas % 2 == 0 && replicas * micro_batch > tokens / sequence) replicas /= 2;
  return nearest_multiple(tokens / sequence, replicas * micro_batch);
}

}  // namespace orrery
