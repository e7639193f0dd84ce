// What a run leaves behind, for those who make rows of it.
#pragma once

#include <string>
#include <string_view>

#include "network/network_backend.h"
#include "network/topology/topology.h"
#include "simulation/experiment.h"
#include "simulation/sinks/summary_sink.h"
#include "system/job.h"
#include "system/rank/job_runner.h"

namespace orrery {

struct FinishedRun {
  const Experiment& experiment;
  const Topology& topology;
  const Job& job;
  const NetworkBackend& network;
  const JobRunner& runner;
  const SummarySink& summary;
  bool folding_allowed = true;
  bool interrupted = false;  // by SimulateOptions::stop
  bool links = true;         // SimulateOptions::links
};

}  // namespace orrery
