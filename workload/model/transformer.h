// What one rank does for one micro-batch in the parts of a transformer, step by step, in the order
// of Megatron-LM's layers (ColumnParallelLinear, RowParallelLinear,
// LinearWithGradAccumulationAndAsyncCommunication, MoELayer).
//
// With t ranks in the tensor-parallel group and T = micro-batch x sequence tokens, activations of
// T x h elements:
//   forward   attention, MLP: an all-reduce of them each; sequence parallel, where ranks keep T/t
//             tokens outside, an all-gather before and a reduce-scatter after each
//   backward  an all-reduce each, which the weight gradient of the same matrix hides; sequence
//             parallel, all-gathers (one of them hidden by the input gradient) and a reduce-scatter
// With parallel blocks (B. Wang, A. Komatsuzaki, "GPT-J", 2021; A. Chowdhery et al., "PaLM", JMLR
// 2023) the MLP takes what attention takes: a layer has one norm, and of each of these one. What
// both give is added before it is summed over the group. What context parallelism adds is in
// attention.cc, layers of experts are in experts.cc. M. Shoeybi et al., "Megatron-LM", arXiv
// 1909.08053; V. Korthikanti et al., "Reducing activation recomputation in large transformer
// models", MLSys 2023.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units/units.h"
#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

// A layer is attention, of all tokens or in a window, and an MLP or experts.
enum class TransformerPart : std::uint8_t {
  embedding,
  attention,
  window_attention,
  mlp,
  experts,
  head
};
std::string_view name_of(TransformerPart part);

constexpr bool is_attention(TransformerPart part) {
  return part == TransformerPart::attention || part == TransformerPart::window_attention;
}
constexpr bool is_of_layer(TransformerPart part) {
  return is_attention(part) || part == TransformerPart::mlp || part == TransformerPart::experts;
}

// Among whom a part exchanges.
enum class PartGroup : std::uint8_t {
  tensor,
  context,
  context_inner,  // of `context`, those that exchange heads in ulysses_ring
  expert,         // ranks that share the experts of a layer
  expert_tensor,  // that share each of these experts
  expert_all,     // both
  expert_node,    // of `expert`, those of one node
  expert_rail,    // of `expert`, those at the same place of each node
};

// What depends on how many tokens choose which expert, where that is drawn (expert_loads.h); the
// step itself says what it is if all are equally popular.
struct Routed {
  enum class Role : std::uint8_t {
    none,
    compute,  // in proportion to the copies that arrived, beyond `unit` of traffic
    spread,   // the same of an exchange; `unit` is the size of a copy
    dispatch,
    combine,  // copies to experts, and back
    across,
    across_back,  // once to each node
    inside,
    inside_back,  // from there to the experts of the node
  };
  Role role = Role::none;
  Bytes unit;
};

struct PartStep {
  struct Exchange {
    Collective kind;
    Bytes size;
    std::int32_t handle;  // that Await names
    PartGroup group = PartGroup::tensor;
  };
  struct Shift {  // to the next rank of a ring, and from the one before
    Bytes size;
    std::int32_t handle;
    PartGroup group;  // tensor, or context: with ulysses_ring those at the same place of each group
  };
  struct Await {
    std::int32_t handle;
    bool journey = false;  // tokens on their way to experts, or back
  };
  Pass pass;  // what a compute step is booked to
  std::variant<Compute, Exchange, Shift, Await> what;
  Routed routed = {};
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
  bool recompute_stops_early = false;
  std::int32_t context = 1;
  ContextMethod context_method = ContextMethod::ring;
  std::int32_t context_inner = 1;
  ExpertTraining experts = {};
  bool fused_cross_entropy = false;
  bool overlap_tensor = false;
  bool overlap_gradient_sums = true;
  bool separate_products = false;
  LowRankAdapters lora = {};
  bool sums_gradients = false;  // over the micro-batches of a rank, as their products are computed
};

// REQUIRES: the sizes divide (workload/problems.h); of experts, shard.experts.parallel divides
// their number.
PartSteps transformer_part(TransformerPart part, const TransformerSpec& model,
                           const TransformerShard& shard);

// Parameters of a part that one rank of the tensor-parallel group holds: an embedding or a head
// with its final norm, an attention block or MLP with its norm; of a layer of experts all but
// these: the norm, the router and what shared experts have.
std::int64_t parameters(TransformerPart part, const TransformerSpec& model, std::int32_t tensor);
// Of these, what every rank of the group has in full: norms, routers, the matrices into latent
// vectors.
std::int64_t replicated_parameters(TransformerPart part, const TransformerSpec& model);
// Parameters of a part's adapters that one rank holds: of a matrix cut by columns A in full and a
// part of B, of one cut by rows a part of A and B in full.
std::int64_t adapter_parameters(TransformerPart part, const TransformerSpec& model,
                                const TransformerTraining& training);
// Of these, what every rank of the tensor-parallel group has in full.
std::int64_t replicated_adapters(TransformerPart part, const TransformerSpec& model,
                                 const TransformerTraining& training);
// Parameters of the experts of a layer that one rank holds.
std::int64_t expert_parameters(const TransformerSpec& model, const ExpertTraining& training);

}  // namespace orrery
