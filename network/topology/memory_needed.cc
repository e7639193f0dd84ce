#include "network/topology/memory_needed.h"

#include <fmt/format.h>

#include "core/base/memory_limit.h"
#include "network/topology/topology.h"

namespace orrery {

std::string why_no_memory(std::int64_t npus, std::int64_t links) {
  // Of an NPU coordinates, ports of a backend, the cursor and accounts of its rank; of a link
  // itself and its counter.
  constexpr double of_npu = 100, of_link = sizeof(Link) + 16;
  const double needed = static_cast<double>(npus) * of_npu + static_cast<double>(links) * of_link;
  const std::string why = why_no_memory(needed);
  return why.empty() ? "" : fmt::format("{} NPUs with {} links {}", npus, links, why);
}

}  // namespace orrery
