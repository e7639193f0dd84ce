// The parts of problems_of(TransformerTraining, ...), which follow each other: each may rely on
// what those before it have found right.
#pragma once

#include "workload/problems.h"

namespace orrery {

// Empty if the sizes of the model are there: nothing is divided by 0.
SpecProblems sizes_out_of_range(const TransformerSpec& model);

void check_pipeline(SpecProblems& problems, const TransformerTraining& spec);
void check_context(SpecProblems& problems, const TransformerTraining& spec,
                   const TransformerSpec& model);
// As Megatron-LM.
void check_expert_training(SpecProblems& problems, const TransformerTraining& spec,
                           const TransformerSpec& model);

void add_idle_settings_of_context(SpecProblems& idle, const TransformerTraining& spec);
void add_idle_settings_of_experts(SpecProblems& idle, const ExpertTraining& spec,
                                  const TransformerSpec& model);

}  // namespace orrery
