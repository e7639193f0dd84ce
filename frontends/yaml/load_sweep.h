// Sweep file -> Sweep.
//
//   name: injection-latency            # without it, the file's
//   experiments: [flat.yaml, hier.yaml]
//   set: {workload.iterations: 2}      # at every point
//   vary:                              # every combination of these
//     - system.injection_latency: [0.01 us, 1 us]
//     - system.chunks: [32, 128]       # the keys of one item change together
//       system.first_phase_limit: [64, 128]
//   zip: {KEY: [...], KEY: [...]}      # the same as one such item
//   random:                            # so many combinations, each at every point of the others
//     {samples: 200, seed: 1, keys: {KEY: [1, 2, 4], KEY: {from: 1 us, to: 1 ms, scale: log}}}
//   repeat: {seeds: 5}                 # every point with the seeds 1 to 5
//   where: system.chunks < 64          # points that are wanted: sweep_condition.h
#pragma once

#include <string>

#include "simulation/sweep_grid.h"

namespace orrery {

// Throws ConfigError with every problem of the file itself (whether keys and values suit the
// experiments shows when those are loaded), IoError if it cannot be read.
Sweep load_sweep(const std::string& path);

}  // namespace orrery
