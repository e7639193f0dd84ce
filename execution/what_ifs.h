// `--what-if`: what each change of one thing would gain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "execution/simulations.h"
#include "execution/terminal.h"
#include "simulation/experiment.h"

namespace orrery {

// Simulates the alternatives of each experiment (simulation/what_if.h) and notes what they gain in
// RunResult::what_if. `outcomes` are those of the experiments; one that is partial or has no result
// is left alone. An alternative that fails has no row, and a notice says which. Returns whether
// nothing was interrupted.
bool add_what_ifs(std::span<const Experiment> experiments, bool fold, const Terminal& terminal,
                  std::vector<Outcome>& outcomes);

// Said before so many alternatives of a run that took `cpu_s`: how long they take. "" if not long.
std::string what_if_text(std::size_t changes, double cpu_s);

inline const Failure what_ifs_interrupted{interrupted,
                                          "interrupted: changes that were not simulated are left "
                                          "out of what-if"};

}  // namespace orrery
