// Sweep file -> Sweep.
//
//   name: injection-latency            # without it, the file's
//   experiments: [flat.yaml, hier.yaml]
//   set: {workload.iterations: 2}      # at every point
//   vary:                              # every combination of these
//     - system.injection_latency: [0.01 us, 1 us]
//     - system.chunks: [32, 128]       # the keys of one item change together
//       system.first_phase_limit: [64, 128]
#pragma once

#include <string>

#include "simulation/sweep_grid.h"

namespace orrery {

// Throws ConfigError with every problem of the file itself (whether keys and values suit the
// experiments shows when those are loaded), IoError if it cannot be read.
Sweep load_sweep(const std::string& path);

}  // namespace orrery
