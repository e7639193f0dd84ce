// Which rank is what in tensor, context, expert, data and pipeline parallelism, as arithmetic.
//
// Ranks of a stage are t c d for attention and q e d_e for experts, the same ranks in the same
// order ("parallel folding"): neighbours share an expert, then come those with other experts.
#pragma once

#include <vector>

#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

// Distances between neighbours.
struct TransformerRanks {
  explicit TransformerRanks(const TransformerTraining& training)
      : tensor(training.tensor),
        context(training.context),
        data(training.data),
        pipeline(training.pipeline),
        expert(training.experts.parallel),
        expert_tensor(training.experts.tensor),
        expert_data(tensor * context * data / (expert * expert_tensor)) {
    const bool stages_last = training.order == RankOrder::tensor_data_pipeline;
    data_stride = tensor * context * (stages_last ? 1 : pipeline);
    pipeline_stride = tensor * context * (stages_last ? data : 1);
    expert_data_stride = expert * expert_tensor * (stages_last ? 1 : pipeline);
  }

  std::int32_t count() const { return tensor * context * data * pipeline; }
  std::int32_t stage_of(Rank rank) const { return rank / pipeline_stride % pipeline; }
  std::int32_t expert_place_of(Rank rank) const { return rank / expert_tensor % expert; }
  // Which of the d_e groups of a stage.
  std::int32_t expert_group_of(Rank rank) const { return rank / expert_data_stride % expert_data; }

  // First and last stage of each pipeline.
  RankLists pipeline_ends() const {
    RankLists ends;
    for (Rank rank = 0; rank < count(); ++rank)
      if (stage_of(rank) == 0) ends.push_back({rank, rank + (pipeline - 1) * pipeline_stride});
    return ends;
  }

  std::int32_t tensor, context, data, pipeline;
  std::int32_t expert, expert_tensor, expert_data;  // e, q, d_e
  // Of tensor neighbours it is 1, of context neighbours t; of those with other experts q.
  std::int32_t data_stride, pipeline_stride, expert_data_stride;
};

}  // namespace orrery
