#include "workload/assumed_batch.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace orrery {

namespace {

constexpr std::int64_t tokens = 1 << 22;

std::int64_t nearest_multiple(std::int64_t samples, std::int64_t unit) {
  return std::max<std::int64_t>(1, (samples + unit / 2) / unit) * unit;
}

// The nearest multiple of `unit` with as large a power of two, up to this one, as leaves it within
// an eighth.
std::int64_t divisible(std::int64_t samples, std::int64_t unit, std::int64_t power) {
  for (; power > 1; power /= 2) {
    const std::int64_t batch = nearest_multiple(samples, unit * power);
    if (std::abs(batch - samples) * 8 <= samples) return batch;
  }
  return nearest_multiple(samples, unit);
}

}  // namespace

std::int64_t largest_micro_batch(std::int64_t sequence) {
  constexpr std::int64_t most_tokens = 1 << 14, least = 4, most = 128;
  const auto samples =
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, most_tokens / sequence));
  return std::clamp(static_cast<std::int64_t>(std::bit_floor(samples)), least, most);
}

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, const BatchUnit& unit) {
  const std::int64_t multiple = unit.data * unit.micro_batch * unit.pipeline;
  const std::int64_t undivided = assumed_batch(sequence, ranks);
  return undivided % multiple == 0 ? undivided : nearest_multiple(tokens / sequence, multiple);
}

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, std::int64_t micro_batch) {
  std::int64_t replicas = ranks;
  while (replicas % 2 == 0 && replicas * micro_batch > tokens / sequence) replicas /= 2;
  const std::int64_t larger =
      std::max<std::int64_t>(1, largest_micro_batch(sequence) / micro_batch);
  return divisible(tokens / sequence, replicas * micro_batch,
                   static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(larger))));
}

}  // namespace orrery
