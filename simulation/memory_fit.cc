#include "simulation/memory_fit.h"

#include <algorithm>

namespace orrery {

std::optional<Bytes> fullest_memory(const RunResult& result) {
  if (result.memory.empty()) return std::nullopt;
  return std::ranges::max_element(result.memory, {}, &MemoryRow::total)->total;
}

bool fits_memory(const RunResult& result) {
  const std::optional<Bytes> most = fullest_memory(result);
  return !most || !result.npu_memory || *most <= *result.npu_memory;
}

}  // namespace orrery
