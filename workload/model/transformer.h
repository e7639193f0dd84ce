// What one rank of a tensor-parallel group does for one micro-batch in the parts of a transformer,
// step by step, in the order of Megatron-LM's layers (ColumnParallelLinear, RowParallelLinear,
// LinearWithGradAccumulationAndAsyncCommunication).
//
// With t ranks in the group and T = micro-batch x sequence tokens, activations of T x h elements:
//   forward   attention, MLP: an all-reduce of them each; sequence parallel, where ranks keep T/t
//             tokens outside, an all-gather before and a reduce-scatter after each
//   backward  an all-reduce each, which the weight gradient of the same matrix hides; sequence
//             parallel, all-gathers (one of them hidden by the input gradient) and a reduce-scatter
// M. Shoeybi et al., "Megatron-LM", arXiv 1909.08053; V. Korthikanti et al., "Reducing activation
// recomputation in large transformer models", MLSys 2023.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/units/units.h"
#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

enum class TransformerPart : std::uint8_t { embedding, attention, mlp, head };
std::string_view name_of(TransformerPart part);

struct PartStep {
  struct Exchange {  // among the tensor-parallel group
    Collective kind;
    Bytes size;
    std::int32_t handle;  // that Await names
  };
  struct Await {
    std::int32_t handle;
  };
  Pass pass;  // what a compute step is booked to
  std::variant<Compute, Exchange, Await> what;
};

// A backward pass with split_backward computes only what the part before it waits for; the weight
// gradients are then steps of their own.
struct PartSteps {
  std::vector<PartStep> forward, backward, weight_gradient;
};

struct TransformerShard {
  std::int32_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t micro_batch = 1;
  bool split_backward = false;
  Recompute recompute = Recompute::none;
  bool fused_cross_entropy = false;
};

PartSteps transformer_part(TransformerPart part, const TransformerSpec& model,
                           const TransformerShard& shard);

// Parameters of a part that one rank of the tensor-parallel group holds: an embedding or a head
// with its final norm, an attention block or MLP with its norm.
std::int64_t parameters(TransformerPart part, const TransformerSpec& model, std::int32_t tensor);
// Of these, what every rank of the group has in full: the norms.
std::int64_t replicated_parameters(TransformerPart part, const TransformerSpec& model);

}  // namespace orrery
