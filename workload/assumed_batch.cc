#include "workload/assumed_batch.h"

#include <algorithm>
#include <cstdlib>

namespace orrery {

namespace {

constexpr std::int64_t tokens = 1 << 22;

std::int64_t nearest_multiple(std::int64_t samples, std::int64_t unit) {
  return std::max<std::int64_t>(1, (samples + unit / 2) / unit) * unit;
}

// Micro-batches of 1, 2 and 4 divide a multiple of this.
constexpr std::int64_t largest_micro_batch = 4;

// The nearest multiple of `unit` with as large a power of two as leaves it within an eighth.
std::int64_t divisible(std::int64_t samples, std::int64_t unit, std::int64_t micro_batch) {
  for (std::int64_t power = largest_micro_batch / micro_batch; power > 1; power /= 2) {
    const std::int64_t batch = nearest_multiple(samples, unit * power);
    if (std::abs(batch - samples) * 8 <= samples) return batch;
  }
  return nearest_multiple(samples, unit);
}

}  // namespace

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, const BatchUnit& unit) {
  const std::int64_t multiple = unit.data * unit.micro_batch * unit.pipeline;
  const std::int64_t undivided = assumed_batch(sequence, ranks);
  return undivided % multiple == 0 ? undivided : nearest_multiple(tokens / sequence, multiple);
}

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, std::int64_t micro_batch) {
  std::int64_t replicas = ranks;
  while (replicas % 2 == 0 && replicas * micro_batch > tokens / sequence) replicas /= 2;
  return divisible(tokens / sequence, replicas * micro_batch, micro_batch);
}

}  // namespace orrery
