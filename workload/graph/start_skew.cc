#include "workload/graph/start_skew.h"

#include <cstddef>

#include "core/base/check.h"
#include "core/base/random.h"

namespace orrery {

void skew_starts(Job& job, Duration skew, std::uint64_t seed) {
  CHECK(skew.value >= 0, "a skew of {} ps", skew.value);
  if (skew.value == 0) return;
  job.start.resize(static_cast<std::size_t>(job.ranks));
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    RandomStream stream(seed, "start of a rank", {static_cast<std::uint64_t>(rank), 0});
    const std::uint64_t later = stream.uniform_int(static_cast<std::uint64_t>(skew.value));
    job.start[static_cast<std::size_t>(rank)] += Duration{static_cast<std::int64_t>(later)};
  }
}

}  // namespace orrery
