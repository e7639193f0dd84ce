// In which order a stage of a pipeline works on its micro-batches. Pure: the orders are proved by
// playing them (tests/workload/parallelism/pipeline_schedule_test.cc), and what they cost comes out
// of the simulation.
//
// With p stages of equal forward, input-gradient and weight-gradient times F, B and W, m
// micro-batches, v chunks of layers per stage, and no time for transfers, a stage idles for
//   gpipe        (p-1)(F+B+W)       all forwards, then all backwards; m micro-batches in flight
//   1f1b         (p-1)(F+B+W)       one forward, one backward; p in flight
//   interleaved  (p-1)(F+B+W)/v     the same over v chunks of a v-th of the layers; p + (p-1)/v
//   zb-h1        (p-1)(F+B-W)       weight gradients fill the gaps; p in flight
//
// Y. Huang et al., "GPipe", NeurIPS 2019. D. Narayanan et al., "Efficient large-scale language
// model training on GPU clusters using Megatron-LM", SC'21 (1f1b, interleaved). P. Qi et al., "Zero
// bubble pipeline parallelism", ICLR 2024 (zb-h1).
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload_spec.h"

namespace orrery {

struct PipelineShape {
  std::int32_t stages = 1;         // p
  std::int32_t chunks = 1;         // v, of layers on each stage; 1 unless interleaved
  std::int32_t micro_batches = 1;  // m; a multiple of p if interleaved
};

struct PipelineStep {
  enum class Kind : std::uint8_t { forward, backward, weight_gradient };
  Kind kind;
  std::int32_t micro_batch, chunk;
};

// Whether the weight gradients are steps of their own; else they are part of `backward`.
constexpr bool splits_backward(PipelineSchedule schedule) {
  return schedule == PipelineSchedule::zb_h1;
}

// What stage `stage` does, one after the other. Chunk c of stage s is the (c * p + s)-th part of
// the model. REQUIRES: the shape suits the schedule, 0 <= stage < p.
std::vector<PipelineStep> pipeline_steps(PipelineSchedule schedule, const PipelineShape& shape,
                                         std::int32_t stage);

}  // namespace orrery
