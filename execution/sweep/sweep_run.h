// The simulations of a sweep or of a shard: what is not done yet, in processes beside each other or
// in this one.
#pragma once

#include <cstddef>

#include "execution/exit_code.h"
#include "execution/sweep/loaded_sweep.h"
#include "execution/sweep/sweep_options.h"
#include "execution/terminal.h"

namespace orrery {

// Fills the rows; writes sweep.json and sweep.csv. A process that runs the same points in the
// folder already is helped: this one begins with the last point. Throws IoError.
ExitCode run_sweep(LoadedSweep& sweep, const SweepOptions& options, const Terminal& terminal);

// The points index, index + count, ...
struct Shard {
  std::size_t index = 0, count = 1;
  bool from_the_end = false;  // beside a process that begins with the first one
};

// Other shards may work in the folder, too, here or on another machine. The rows that are left are
// those of the shard, and filled. Throws IoError.
ExitCode run_shard(LoadedSweep& sweep, const Shard& shard, const SweepOptions& options,
                   const Terminal& terminal);

}  // namespace orrery
