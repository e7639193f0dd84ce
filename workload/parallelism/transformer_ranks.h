// Which rank is what in tensor, data and pipeline parallelism, as arithmetic.
#pragma once

#include <vector>

#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

// Distances between neighbours.
struct TransformerRanks {
  explicit TransformerRanks(const TransformerTraining& training)
      : tensor(training.tensor),
        data(training.data),
        pipeline(training.pipeline),
        data_stride(training.order == RankOrder::tensor_data_pipeline ? tensor : tensor * pipeline),
        pipeline_stride(training.order == RankOrder::tensor_data_pipeline ? tensor * data
                                                                          : tensor) {}

  std::int32_t count() const { return tensor * data * pipeline; }
  std::int32_t stage_of(Rank rank) const { return rank / pipeline_stride % pipeline; }

  // First and last stage of each pipeline.
  RankLists pipeline_ends() const {
    RankLists ends;
    for (Rank rank = 0; rank < count(); ++rank)
      if (stage_of(rank) == 0) ends.push_back({rank, rank + (pipeline - 1) * pipeline_stride});
    return ends;
  }

  std::int32_t tensor, data, pipeline;
  std::int32_t data_stride, pipeline_stride;  // of tensor neighbours it is 1
};

}  // namespace orrery
