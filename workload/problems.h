// The rules of workloads, whoever filled the specs: problems_of(spec) names those that it breaks.
// Keys are those of `workload:` in an experiment file.
#pragma once

#include <cstdint>

#include "core/base/spec_problem.h"
#include "workload/platform_facts.h"
#include "workload/workload_spec.h"

namespace orrery {

// Keys of workload.transformer.experts and workload.transformer.
SpecProblems problems_of(const ExpertsSpec& experts, const TransformerSpec& model);
SpecProblems problems_of(const TransformerSpec& model);

// Keys of workload.training. The parallel sizes fill the platform and divide what they cut, and the
// training frameworks allow the combination. Nothing, if the sizes of the model are not there.
SpecProblems problems_of(const TransformerTraining& training, const TransformerSpec& model,
                         const PlatformFacts& platform);
SpecProblems problems_of(const TransformerWorkload& workload, const PlatformFacts& platform);

// Keys of workload.model.
SpecProblems problems_of(const DlrmSpec& model, const PlatformFacts& platform);

// Keys of workload.data_parallel.
SpecProblems problems_of(const StackTraining& training, const PlatformFacts& platform);

// Keys of the workload itself.
SpecProblems problems_of(const LayerTableWorkload& workload, const PlatformFacts& platform);
SpecProblems problems_of(const ProgramSpec& program, const PlatformFacts& platform);
SpecProblems problems_of(const GraphWorkload& workload, const PlatformFacts& platform);
SpecProblems problems_of_names(const JobsSpec& jobs);
SpecProblems problems_of(const JobsSpec& jobs, const PlatformFacts& platform);
// The operations of all iterations are written down, and fit into memory.
SpecProblems problems_of_iterations(const WorkloadSpec& workload);
SpecProblems problems_of(const WorkloadSpec& workload, const PlatformFacts& platform);

// Keys of workload.training.expert_load, for so many experts.
SpecProblems problems_of(const ExpertLoadSpec& load, std::int64_t experts);

// Settings that mean nothing beside the others, whatever their value: a problem for a user who has
// written one of them down.
SpecProblems idle_settings(const DlrmSpec& model);
SpecProblems idle_settings(const ExpertLoadSpec& load);
SpecProblems idle_settings(const TransformerTraining& training, const TransformerSpec& model);

// Data-parallel ranks for which the platform has room beside the other sizes; 0 if these do not
// divide its NPUs.
std::int32_t data_ranks(const TransformerTraining& training, const PlatformFacts& platform);

}  // namespace orrery
