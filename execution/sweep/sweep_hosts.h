// Shards of a sweep over hosts by ssh, which GNU parallel hands out.
#pragma once

#include "execution/exit_code.h"
#include "execution/sweep/loaded_sweep.h"
#include "execution/sweep/sweep_options.h"

namespace orrery {

// The number of hosts that a file names. Throws IoError if there is none.
std::size_t hosts_in(const std::string& file);

// On the hosts of the file `options.hosts`. Throws IoError.
ExitCode run_on_hosts(const LoadedSweep& sweep, const SweepOptions& options);

}  // namespace orrery
