#include "core/base/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/units/unit_text.h"

namespace orrery {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

std::int64_t of_machine() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : unlimited;
}

template <class Resource>
std::int64_t of_process(Resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, unlimited));
}

// Version 2, of the group that a container sees as the root; "max" is no number.
std::int64_t of_control_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t limit = 0;
  return file >> limit && limit > 0 ? limit : unlimited;
}

}  // namespace

std::int64_t memory_limit() {
  return std::min(
      {of_machine(), of_process(RLIMIT_AS), of_process(RLIMIT_DATA), of_control_group()});
}

std::string why_no_memory(double needed) {
  constexpr double always_there = 1e8;
  if (needed <= always_there) return "";  // and nothing is asked
  const std::int64_t limit = memory_limit();
  if (needed <= static_cast<double>(limit)) return "";
  return fmt::format("need at least {}, and this process may use {}",
                     to_text(Bytes{static_cast<std::int64_t>(std::min(needed, 9.2e18))}),
                     to_text(Bytes{limit}));
}

}  // namespace orrery
