// A sweep as an array of Slurm. The script is written, and not submitted.
#pragma once

#include <string>

#include "execution/sweep/loaded_sweep.h"
#include "execution/sweep/sweep_options.h"

namespace orrery {

// "2h", "90 min" or what sbatch takes itself: "120", "2:00:00", "1-12:00:00". Throws ConfigError.
std::string slurm_time(const std::string& text);

// Writes sweep.json and sweep.sbatch into the folder. Returns the command that submits it.
std::string write_slurm_array(const LoadedSweep& sweep, const SweepOptions& options);

}  // namespace orrery
