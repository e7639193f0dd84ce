// Runs experiments beside each other, with progress, Ctrl-C and failures taken care of: what `run`
// and `compare` share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace_sink.h"
#include "execution/failure.h"
#include "execution/terminal.h"
#include "simulation/experiment.h"
#include "simulation/run_result.h"

namespace orrery {
class RunObserver;       // simulation/run_observer.h
struct SimulateOptions;  // simulation/simulate.h
}  // namespace orrery

namespace orrery {

struct Outcome {
  std::optional<RunResult> result;  // partial if the simulation was interrupted or got stuck
  Failure failure;                  // exit code ok and no text if all went well
};

// Throws nothing: what goes wrong is in the outcome.
Outcome simulate_one(const Experiment& experiment, const SimulateOptions& options);

// In the order of the experiments, whatever the order in which they end. On as many threads as the
// machine has cores; simulations share nothing.
struct Extras {
  bool fold = true;                 // SimulateOptions::fold
  TraceSink* spans = nullptr;       // of all of them, so it goes with a single experiment
  RunObserver* observer = nullptr;  // likewise
  bool matrix = false;              // fill RunResult::matrix
  bool activity = false;            // fill RunResult::activity and link_activity
  bool page = false;                // fill what only a page shows
  bool links = true;                // fill RunResult::links
};
std::vector<Outcome> simulate_all(std::span<const Experiment> experiments, const Terminal& terminal,
                                  const Extras& extras = {});

// Prints what failed, and the notices of the results: each text once.
void print_remarks(std::span<const Outcome> outcomes);

}  // namespace orrery
