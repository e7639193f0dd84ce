// Something that watches a run from outside of it: gets every span, and is told when the run begins
// and what came of it. Timelines are observers.
#pragma once

#include "core/trace/trace_sink.h"
#include "network/fold.h"
#include "simulation/experiment.h"
#include "simulation/run_result.h"
#include "system/job.h"

namespace orrery {

class RunObserver : public TraceSink {
 public:
  // A run begins; what was seen of another is void, as a run that cannot be folded begins twice.
  // REQUIRES: job outlives the run.
  virtual void begin(const Experiment& experiment, const Job& job, const Fold& fold) = 0;
  // The run has ended; an observer may add its notices to the result.
  virtual void end(RunResult& result) = 0;
};

}  // namespace orrery
