// The parallel configuration that needs least memory, for models that fit into no device.
#pragma once

#include <cstdint>
#include <optional>

#include "core/units/units.h"
#include "simulation/search/fitting.h"
#include "simulation/search/training_variants.h"

namespace orrery {

// Of all configurations with zero3, full recomputation and one sample a micro-batch the one that
// needs least memory. Nothing if none is allowed.
std::optional<FittingChoice> least_memory(const TrainingVariants& variants);

struct LargerPlatform {
  std::int32_t npus = 0;
  TransformerTraining training;
};

// How many NPUs, in whole nodes, the model needs at least with zero3, and with which training: of a
// row of numbers above what parameters, gradients and optimizer states alone take, and of
// doublings, the first with which any configuration needs no more than `room`. If none does, so
// many that the ranks' shares of these leave room for the rest, without a pipeline and with as
// large a batch as they need. Nothing if 2^20 NPUs do not do: what is not shared is too large.
std::optional<LargerPlatform> least_npus(const TrainingVariants& variants, Bytes room);

// The least number of NPUs, in whole nodes and above those of the platform, with which a change of
// few settings of the training that is written fits (fitting_change.h). Nothing if that is far
// above what parameters, gradients and optimizer states alone take.
std::optional<LargerPlatform> fitting_servers(const TrainingVariants& variants, Bytes room);

}  // namespace orrery
