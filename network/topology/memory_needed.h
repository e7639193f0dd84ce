// What a platform takes in memory, from below, before it is built.
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

// "" if a network of so many NPUs and directed links fits into the memory of this process, else a
// clause: "4194304 NPUs with 8388608 links need at least 2 GB, and this process may use 1 GB".
std::string why_no_memory(std::int64_t npus, std::int64_t links);

}  // namespace orrery
