// Experiment -> RunResult: builds topology, backend, system layer and job, and runs the clock.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "core/trace/trace_sink.h"
#include "simulation/experiment.h"
#include "simulation/forecast.h"
#include "simulation/run_result.h"

namespace orrery {

class RunObserver;  // run_observer.h

struct Progress {
  double fraction;  // of the operations of all ranks
  Time simulated;
  std::uint64_t events;
};

struct SimulateOptions {
  std::function<bool()> stop;                     // asked now and then; true ends the run, partial
  std::function<void(const Progress&)> progress;  // told now and then
  bool fold = true;  // simulate one rank for all where all are alike; the result is the same
  TraceSink* spans = nullptr;       // also gets every span, of messages too if it wants them;
                                    // then nothing is folded
  RunObserver* observer = nullptr;  // gets the spans of the ranks that are simulated
  bool matrix = false;              // fill RunResult::matrix
  bool activity = false;            // fill RunResult::activity and link_activity
  bool page = false;                // fill RunResult::steps, equal_nodes and equal_links
  bool links = true;                // fill RunResult::links: some 120 bytes for each
};

// The job cannot go on: no event is left and operations are unfinished, or the network gave up.
// what() says who waits for whom, or why; the partial result is kept. Exit code 1.
class StuckError : public std::runtime_error {
 public:
  StuckError(const std::string& report, RunResult result)
      : std::runtime_error(report), partial(std::move(result)) {}
  RunResult partial;
};

// Throws ConfigError for an experiment with problems (problems.h), StuckError, JobError if the job
// contradicts itself, and JobStopped (workload/job_stopped.h) if `stop` ends the run before it
// begins.
RunResult simulate(const Experiment& experiment, const SimulateOptions& options = {});

}  // namespace orrery
