// How much memory this process may use, so that what certainly does not fit is refused before it is
// built, with what it would have needed.
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

// In bytes: the least of the machine's memory, the limits of the process (ulimit -v, -d) and that
// of its control group.
std::int64_t memory_limit();

// "" if `needed` bytes fit, else a clause: "need at least 5.2 GB, and this process may use 4 GB".
// `needed` is an estimate from below.
std::string why_no_memory(double needed);

}  // namespace orrery
