// What a rank of a pipeline stage keeps in its device's memory.
//
// Of N parameters of bw and gradients of bg bytes, D ranks dividing what is sharded between them:
//              parameters               gradients            Adam: copy in fp32, two moments
//   none       N bw                     N bg                 12 N
//   zero1      N bw                     N bg                 12 N / D
//   zero2      N bw                     N bg / D + bucket    12 N / D
//   zero3      N bw / D + gathered      N bg / D + a layer   12 N / D
// Parameters of 4 B are their own copy: 8 N. Gradients that are summed on the rank before they are
// exchanged (Accumulation::local) are all there, N bg.
//
// With adapters (LoRA) gradients and optimizer are of these alone, and a frozen matrix does not
// keep its input.
//
// The parameters of experts are a kind of their own: N of them on a rank, which d_e ranks divide.
//
// Two moments can be the fullest: when the last micro-batch in flight has its loss, and when it
// begins its backward pass through layers whose forward pass is done again; the head's values are
// gone by then.
//
// Activations are what the backward pass of a micro-batch finds from its forward pass. How many
// micro-batches are in flight is not a formula: the order of steps that the stage executes
// (pipeline_schedule.h) is played, and the step with the most is the peak.
//
// S. Rajbhandari et al., "ZeRO", SC'20. V. Korthikanti et al., "Reducing activation recomputation
// in large transformer models", MLSys 2023, section 4: with attention::unfused, equations 1, 2 and
// 4 of a layer. DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434 (latent attention).
#pragma once

#include <cstdint>
#include <vector>

#include "core/units/units.h"
#include "workload/model/transformer.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/workload_spec.h"

namespace orrery {

struct StageMemory {
  Bytes parameters, gradients, optimizer;  // always there
  Bytes buffers;                           // gathered parameters, gradients to be scattered
  Bytes activations;                       // at the peak
  Bytes loss;                              // what it needs besides, if that is the peak
  Bytes again;                             // of a layer done again, if that is the peak
  std::int32_t in_flight = 0;              // passes through a chunk at the peak
  PipelineStep peak{};                     // the first step with the most activations

  Bytes fixed() const { return parameters + gradients + optimizer + buffers; }
  Bytes total() const { return fixed() + activations + loss + again; }
};

// The memory of each rank of the stage; experts count as equally popular. REQUIRES: as
// make_transformer_job(); 0 <= stage < p.
StageMemory stage_memory(const TransformerWorkload& workload, std::int32_t stage);

// What a micro-batch leaves in each chunk of the stage for its backward pass.
std::vector<Bytes> activations_of_chunks(const TransformerWorkload& workload, std::int32_t stage);

// What a micro-batch leaves in one part for its backward pass; `recomputed`: only the input of its
// layer, which the attention block has.
Bytes activations_of(TransformerPart part, bool recomputed, const TransformerWorkload& workload);

}  // namespace orrery
