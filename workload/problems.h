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
// training frameworks allow the combination. REQUIRES: problems_of(model) finds none.
SpecProblems problems_of(const TransformerTraining& training, const TransformerSpec& model,
                         const PlatformFacts& platform);
SpecProblems problems_of(const TransformerWorkload& workload, const PlatformFacts& platform);

// Keys of workload.training.expert_load, for so many experts.
SpecProblems problems_of(const ExpertLoadSpec& load, std::int64_t experts);

// Settings that mean nothing beside the others, whatever their value: a problem for a user who has
// written one of them down.
SpecProblems idle_settings(const ExpertLoadSpec& load);
SpecProblems idle_settings(const TransformerTraining& training, const TransformerSpec& model);

// Data-parallel ranks for which the platform has room beside the other sizes; 0 if these do not
// divide its NPUs.
std::int32_t data_ranks(const TransformerTraining& training, const PlatformFacts& platform);

}  // namespace orrery
