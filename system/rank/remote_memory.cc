#include "system/rank/remote_memory.h"

#include <algorithm>

namespace orrery {

RemoteMemory::RemoteMemory(const RemoteMemorySpec& spec, std::int32_t ranks) : spec_(spec) {
  if (spec_.npus == 0) spec_.npus = ranks;
  if (is_shared(spec)) free_.resize(static_cast<std::size_t>((ranks - 1) / spec_.npus + 1));
}

Duration RemoteMemory::time_of(Rank rank, Bytes size, Time now) {
  const Duration service = spec_.latency + transfer_time(size, spec_.bandwidth);
  if (free_.empty()) return service;
  Time& free = free_[static_cast<std::size_t>(rank / spec_.npus)];
  free = std::max(free, now) + service;
  return free - now;
}

}  // namespace orrery
