// Whether an experiment obeys the rules of all its parts, whoever filled it.
#pragma once

#include "core/base/spec_problem.h"
#include "simulation/experiment.h"

namespace orrery {

// Keys of an experiment file: "workload.training.tensor". Parts that others must agree with come
// first; what builds on a part with problems is not looked at.
SpecProblems problems_of(const Experiment& experiment);

// Of these what the device says of its arithmetic: that it has a peak, and of 8 bits if need be.
SpecProblems problems_of_units(const WorkloadSpec& workload, const NpuSpec& npu);

// These, and algorithms for all collectives that can do none of those that are called.
SpecProblems problems_of_use(const Experiment& experiment);

// Throws ConfigError, without positions, if there are any: of all, or of the network, which flows
// have without a job.
void refuse_problems(const Experiment& experiment);
void refuse_problems_of_network(const Experiment& experiment);

}  // namespace orrery
