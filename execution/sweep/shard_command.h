// The command that runs a shard of a sweep, for those who start it elsewhere.
#pragma once

#include <string>
#include <vector>

#include "execution/sweep/sweep_options.h"

namespace orrery {

// `orrery sweep exec` of this program, file and folder, as they were called here; without --jobs
// and --shard.
std::vector<std::string> shard_command(const SweepOptions& options);

}  // namespace orrery
