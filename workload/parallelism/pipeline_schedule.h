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
//   zb-h2        (p-1)(F+B-2W)      more of them; 2p-1 in flight
//   zbv          0 if F = B = W     two chunks, there and back; p in flight
//   dualpipe     (p/2-1)(F+2B-W)    micro-batches enter at both ends, and each stage has two p-ths
//                                   of the model: parameters are there twice; p + 1 in flight
//   dualpipe-v   (p-1)(F+2B-W)      the same on half as many stages: two of 2p parts each, there
//                                   and back. F, B and W are those of a part
// `together` (Megatron-LM's combined 1f1b) begins with a forward more, so that the forward and the
// backward pass that follow each other are of different micro-batches: 1 more chunk is in flight.
// The zero-bubble orders shift the stages in time: stage s begins and ends an iteration s F after
// the first one, which a wait for all stages at its end makes idle again (post_validation).
//
// Y. Huang et al., "GPipe", NeurIPS 2019. D. Narayanan et al., "Efficient large-scale language
// model training on GPU clusters using Megatron-LM", SC'21 (1f1b, interleaved). P. Qi et al., "Zero
// bubble pipeline parallelism", ICLR 2024 (zb-h1, zb-h2), and "Pipeline parallelism with
// controllable memory", NeurIPS 2024 (zbv). DeepSeek-AI, "DeepSeek-V3", arXiv 2412.19437, section
// 3.2.1 (dualpipe); dualpipe-v is its "cut-in-half" by Sea AI Lab.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload_spec.h"

namespace orrery {

struct PipelineShape {
  std::int32_t stages = 1;         // p
  std::int32_t chunks = 1;         // v, of layers on each stage: TransformerTraining::stage_chunks
  std::int32_t micro_batches = 1;  // m
  std::int32_t group = 0;  // of interleaved: micro-batches that pass a chunk in a row; 0 = p
  bool together = false;   // of 1f1b and interleaved: a forward and a backward pass go together
};

inline PipelineShape pipeline_shape(const TransformerTraining& training) {
  return {training.pipeline, training.stage_chunks(), training.micro_batches(),
          training.micro_batch_group, training.experts.overlap_batches};
}

struct PipelineStep {
  // A backward pass is one step, or two that other steps may come between.
  enum class Kind : std::uint8_t { forward, backward, input_gradient, weight_gradient };
  Kind kind;
  std::int32_t micro_batch, chunk;
  // It and the next step are done together: what one exchanges goes beside what the other computes.
  bool with_next = false;
};

// What stage `stage` does, one after the other. Which part of the model a chunk is:
// chunk_placement.h. REQUIRES: the shape suits the schedule, 0 <= stage < p:
//   interleaved          m % group is 0 or at least p
//   dualpipe             p and m even, m >= 2p
//   dualpipe-v           m >= 2p
//   together             interleaved, or p = 1
std::vector<PipelineStep> pipeline_steps(PipelineSchedule schedule, const PipelineShape& shape,
                                         std::int32_t stage);

}  // namespace orrery
