// What became of a transformer's iterations, stage by stage, for reports.
#pragma once

#include <span>

#include "network/topology/topology.h"
#include "simulation/experiment.h"
#include "simulation/run_result.h"
#include "simulation/sinks/summary_sink.h"
#include "system/job.h"
#include "system/rank/job_runner.h"

namespace orrery {

// REQUIRES: the runner has finished; `ranks` are the rows of the result, in the order in which the
// summary has them.
TrainingResult training_rows(const Experiment& experiment, const TransformerWorkload& workload,
                             const Topology& topology, std::span<const RankRow> ranks,
                             std::span<const Label> labels,
                             std::span<const SummarySink::Row> summary, const JobRunner& runner);

}  // namespace orrery
