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

std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks) {
  std::int64_t unit = ranks;
  while (unit % 2 == 0 && unit * sequence > tokens) unit /= 2;
  return nearest_multiple(tokens / sequence, unit);
}

}  // namespace orrery
