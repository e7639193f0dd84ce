// Experiment -> RunResult: builds topology, backend, system layer and job, and runs the clock.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "core/trace/trace_sink.h"
#include "core/units/total.h"
#include "simulation/experiment.h"
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

// Why every rank of the experiment is simulated, as a clause; "" if one stands for all.
std::string why_not_folded(const Experiment& experiment);

// What a run will cost, before it begins. Seen from two iterations of each job.
struct Forecast {
  std::string unfolded_because;  // a clause; "" if some ranks stand for others
  std::int32_t ranks = 0;        // of the job
  std::int32_t simulated = 0;    // of them
  std::int64_t messages = 0;     // simulated; 0 if the ranks' programs are not known
  TotalBytes in_packets;         // of them, on a backend with packets
  double cpu_s = 0;              // about; 0 if it is not known of the backend
  std::string remedy;            // if it is long: what would shorten it, as a sentence
};
Forecast forecast_of(const Experiment& experiment);
// "about 1.3e+06 messages, 4.1 GB in packets, are simulated, some 3 CPU s".
std::string work_text(const Forecast& forecast);
inline constexpr double kLongRun = 10;  // CPU seconds: from here on a run says so on stderr

// Throws ConfigError for an experiment with problems (problems.h), StuckError, JobError if the job
// contradicts itself, and JobStopped (workload/job_stopped.h) if `stop` ends the run before it
// begins.
RunResult simulate(const Experiment& experiment, const SimulateOptions& options = {});

}  // namespace orrery
