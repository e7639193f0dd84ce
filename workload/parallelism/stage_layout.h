// Which parts of the model a stage of the pipeline has, and which of their parameters data-parallel
// ranks exchange together.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/model/transformer.h"
#include "workload/parallelism/chunk_placement.h"
#include "workload/parallelism/transformer_groups.h"
#include "workload/workload_spec.h"

namespace orrery {

// Parameters that are exchanged together: with zero3 those of a layer, else a gradient bucket
// (gradient_buckets.h). Neighbouring parts of one chunk, up to the last that has such parameters.
struct ExchangeUnit {
  std::int64_t elements;  // of one rank of the tensor-parallel group
  std::int64_t trained;   // of these, that have gradients: all, or adapters
  std::int32_t chunk;
  Group group;  // in which gradients are reduced first
  // The head needs it where the forward pass turns into the backward pass: zero3 keeps it there.
  bool stays = false;
};

struct StagePart {
  TransformerPart part;
  std::int32_t layer;   // of the model, from 0; -1 = of none
  std::int32_t unit;    // index into StageLayout::units; -1 = it has nothing to exchange
  bool recomputed;      // its forward pass is done again before its backward pass
  bool opens = false;   // the first of its unit in forward order
  bool closes = false;  // the last one
};

// Whose gradients are summed over which ranks.
enum class Kept : std::uint8_t {
  by_all,     // parameters that all data- and context-parallel ranks have
  by_experts  // those of experts
};

struct StageLayout {
  std::vector<std::vector<StagePart>> chunks;  // in forward order
  std::vector<ExchangeUnit> units;             // of all chunks, in forward order
  // Numbers of one rank. Some are on every rank of the tensor-parallel group: norms, or parts of
  // adapters.
  std::int64_t parameters = 0, trained = 0, replicated = 0;
};

// The layers are dealt out evenly over the parts of the model (chunk_placement.h); the first ones
// get one more if they do not divide. The embedding is before the first, the head behind the last;
// with ends_take_a_layer each takes the place of a layer. Parts are the same for both kinds of
// parameters, units are of their own.
StageLayout stage_layout(const TransformerWorkload& workload, std::int32_t stage,
                         Kept kept = Kept::by_all);

}  // namespace orrery
