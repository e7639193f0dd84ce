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
};

struct PassSpec {
  Compute compute;
  std::optional<Collective> collective;  // none = the pass exchanges nothing
  Bytes size;                            // of the whole buffer of a rank
};

struct LayerSpec {
  std::string name;
  PassSpec forward, input_gradient, weight_gradient;
  Duration update;  // follows the completion of each of this layer's collectives
};

struct LayerTable {
  ParallelismPolicy policy = ParallelismPolicy::data;
  std::int32_t last_bottom_layer = -1;  // hybrid_dlrm: forward waits there for the embeddings
  std::vector<LayerSpec> layers;
};

}  // namespace orrery
