// The commit that the program is built from. Only main.cc uses it, so that a commit builds one
// small file anew and links the program: scripts/write_commit.cmake.
#pragma once

namespace orrery::cli {

extern const char* const commit;  // "933819f2a1b0", "933819f2a1b0+1f0c9d2e", "unknown"

}  // namespace orrery::cli
