// The job that an experiment's workload describes.
#pragma once

#include <cstdint>
#include <optional>

#include "network/topology/topology.h"
#include "simulation/experiment.h"
#include "system/job.h"
#include "workload/job_stopped.h"

namespace orrery {

// `iterations`: of each job, instead of what the experiment says about them. Throws JobStopped.
Job make_job(const Experiment& experiment, const Topology& topology,
             std::optional<std::int32_t> iterations = std::nullopt, const AskStop& stop = {});

}  // namespace orrery
