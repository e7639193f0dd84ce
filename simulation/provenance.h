// What a result is the result of: for result.json.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {

// The program, and how it was called.
struct Invocation {
  std::string version, commit;
  std::string command;  // shell_text() of its arguments
};

// "orrery run 'my model.yaml'", which a shell takes apart into the same arguments.
std::string shell_text(const std::vector<std::string>& arguments);

// The hash of all values of the configuration and of the data files that they name: experiments
// with the same hash have the same result.
std::string inputs_hash(const Experiment& experiment);

Provenance provenance_of(const Experiment& experiment, const Invocation& invocation);
// Of one result for several experiments: the configuration is what they have in common.
Provenance provenance_of(std::span<const Experiment> experiments, const Invocation& invocation);

}  // namespace orrery
