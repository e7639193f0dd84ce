// A training step as a table: for each layer what the three passes compute and exchange, and the
// parallelism policy that says who takes part and who waits for what
// (parallelism/training_loop.cc). Both a described model (model/dlrm.cc) and an ASTRA-sim 1.0 text
// file become one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "system/operation_source.h"

namespace orrery {

// Which levels ("dimensions") of the platform take part in a layer's collectives.
enum class ParallelismPolicy : std::uint8_t {
  micro,                  // all; only the weight-gradient columns are used
  data,                   // weight gradients over all
  model,                  // activations and input gradients over all
  distributed_inference,  // activations over all, forward only
  hybrid_data_model,      // activations and input gradients over dimension 0, weight gradients 1..
  hybrid_model_data,      // activations and input gradients over 1.., weight gradients dimension 0
  hybrid_dlrm,            // embedding all-to-all (layer 0) and weight gradients, both over all
  hybrid_dlrm_enhanced,   // the same, but no layer waits for the backward all-to-all
  hybrid_transformer,     // activations and input gradients over TransformerGroups::tensor ranks,
                          // weight gradients over the others
  hybrid_customized,      // of each layer its own: data, model, or a mix of these
};

// Of hybrid_transformer: whom a collective joins.
enum class PassGroup : std::uint8_t {
  usual,        // that of the pass
  experts,      // the ranks that share the experts
  expert_data,  // the ranks that have the same experts
};

// How the ranks of hybrid_transformer are grouped, as Megatron-LM counts: tensor-parallel ranks are
// neighbours, then come those that share experts, then data-parallel ones, then stages.
struct TransformerGroups {
  std::int32_t tensor = 1, experts = 1;
  std::int32_t stages = 1;          // of a pipeline; the table is one of them
  std::int32_t virtual_stages = 1;  // parts of a stage that take turns
  std::int32_t micro_batches = 1;   // that the table holds
  std::int32_t ranks = 0;           // of all stages; 0 = not said
  Bytes between_stages;             // of a message from a stage to the next
  // Before the input gradient of a layer of `recomputed_at`, ascending, the layers from the last of
  // `checkpoints` on, ascending, to the one before it run forward again.
  std::vector<std::int32_t> checkpoints = {}, recomputed_at = {};
};

struct PassSpec {
  Compute compute;
  std::optional<Collective> collective;  // none = the pass exchanges nothing
  Bytes size;                            // of the whole buffer of a rank
  PassGroup group = PassGroup::usual;
};

struct LayerSpec {
  std::string name;
  PassSpec forward, input_gradient, weight_gradient;
  Duration update;  // follows the completion of each of this layer's collectives
  ParallelismPolicy policy = ParallelismPolicy::data;  // hybrid_customized: the layer's
};

struct LayerTable {
  ParallelismPolicy policy = ParallelismPolicy::data;
  std::int32_t last_bottom_layer = -1;  // hybrid_dlrm: forward waits there for the embeddings
  TransformerGroups groups = {};        // hybrid_transformer
  std::vector<LayerSpec> layers;
};

// How many of the stages such ranks are: one if there are as many as a stage has, else all.
std::int32_t stages_among(const TransformerGroups& groups, std::int32_t ranks);
// Ranks that have the same part of the model. REQUIRES: problems_of() finds none.
std::int32_t data_replicas(const TransformerGroups& groups, std::int32_t ranks);

}  // namespace orrery
