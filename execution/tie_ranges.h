// `--ties N`: how much of a result is the order of events that are due at the same picosecond.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "execution/simulations.h"
#include "execution/terminal.h"
#include "simulation/experiment.h"

namespace orrery {

// Simulates each experiment with so many random orders (Ties::seed) and notes the range of its
// finish in RunResult::over_ties. `outcomes` are those of the experiments; one that is partial or
// has no result is left alone. If one of the orders fails, its failure becomes the experiment's.
void add_tie_ranges(std::span<const Experiment> experiments, std::int32_t orders,
                    const Terminal& terminal, std::vector<Outcome>& outcomes);

// `compare` without --ties: systems that differ so little that the order may decide.
void note_close_results(std::vector<Outcome>& outcomes);

}  // namespace orrery
