// The points of a sweep as loaded experiments, and the simulation of one.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "execution/sweep/loaded_sweep.h"
#include "frontends/cli/commands.h"
#include "simulation/sweep_grid.h"

namespace orrery::cli {

// The file, and --set over what its `set` says. Throws ConfigError.
Sweep sweep_of(const SweepOptions& options);

// All of them or the first ones. Throws ConfigError if there is none.
std::vector<SweepPoint> wanted_points(const Sweep& sweep,
                                      std::size_t most = std::numeric_limits<std::size_t>::max());

// Loads every point, so that a mistake in the last one shows before the first one has run for an
// hour. What is simulated later is what was read now. Throws ConfigError with the problems of all
// of them, each once.
LoadedSweep loaded(const Sweep& sweep, std::vector<SweepPoint> points,
                   const SweepCommandOptions& options);

// The command that gives the same result.
std::string command_of(const SweepRow& row);

}  // namespace orrery::cli
