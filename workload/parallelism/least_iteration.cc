// What an iteration takes at least, without playing the stages of its pipeline.
#include <algorithm>

#include "workload/parallelism/part_times.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/schedule_estimate.h"

namespace orrery {

Duration ScheduleEstimator::least(const TransformerTraining& training) {
  if (training.schedule != PipelineSchedule::one_forward_one_backward &&
      training.schedule != PipelineSchedule::interleaved)
    return {};
  const TransformerWorkload workload{model_, training};
  const Groups groups(workload);
  const bool together = training.experts.overlap_batches;  // what is exchanged may be beside
  Duration least, before;
  for (std::int32_t stage = 0; stage < training.pipeline; ++stage) {
    Duration all_chunks, shortest;
    for (const auto& chunk : stage_layout(workload, stage).chunks) {
      Duration passes;
      for (const StagePart& part : chunk) {
        const PartTimes& times = parts_->of(part.part, part.recomputed, training, groups);
        passes += together ? times.forward.computing + times.backward.computing
                           : times.forward.whole + times.backward.whole;
      }
      shortest = all_chunks == Duration{} ? passes : std::min(shortest, passes);
      all_chunks += passes;
    }
    least = std::max(least, before + all_chunks * training.micro_batches());
    before += shortest;
  }
  return least;
}

}  // namespace orrery
