// Settings of a transformer's training with which an iteration may be shorter, where the rules
// allow them and the memory, if it is known, has room; or whatever the memory is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/experiment.h"

namespace orrery {

enum class Memory : std::uint8_t { has_room, is_any };

// Nothing where it is so already, or is no transformer's.
std::optional<TransformerTraining> without_recomputation(const Experiment& experiment,
                                                         Memory memory = Memory::has_room);
std::optional<TransformerTraining> with_fused_loss(const Experiment& experiment,
                                                   Memory memory = Memory::has_room);
// Tensor-parallel exchanges beside the products that need them, which sequence parallelism splits.
std::optional<TransformerTraining> with_overlapped_tensor(const Experiment& experiment,
                                                          Memory memory = Memory::has_room);

// Parameters that ranks share gathered beside the next forward pass, as zero3 always does.
std::optional<TransformerTraining> with_overlapped_parameters(const Experiment& experiment,
                                                              Memory memory = Memory::has_room);

// Experts get one copy of a token for each node, which passes it on inside (training.dispatch).
std::optional<TransformerTraining> with_dispatch_by_node(const Experiment& experiment,
                                                         Memory memory = Memory::has_room);

// Whether training.overlap_experts may be written beside the other settings, and is not.
bool may_overlap_experts(const Experiment& experiment);

// Of up to 16 samples: parameters and gradients are read and written less often.
std::vector<TransformerTraining> larger_micro_batches(const Experiment& experiment);

// Other orders of a pipeline's micro-batches: of the interleaved ones that with the least estimate,
// and zb-h1; the faster one first.
std::vector<TransformerTraining> other_schedules(const Experiment& experiment);
// Half of the stages of a pipeline, a quarter, ..., with as many more replicas: uneven stages wait
// for each other, and fewer of them have less of a bubble.
std::vector<TransformerTraining> with_fewer_stages(const Experiment& experiment,
                                                   Memory memory = Memory::has_room);
// "pipeline: 2, data: 4"
std::string stages_text(const TransformerTraining& training);
// "schedule: interleaved, chunks: 4"
std::string schedule_text(const TransformerTraining& training);

// Of several that with the least time by estimate (search.h), and that. REQUIRES: there is one.
struct EstimatedTraining {
  TransformerTraining training;
  Duration iteration;
};
EstimatedTraining fastest_of(const Experiment& experiment,
                             const std::vector<TransformerTraining>& all);

}  // namespace orrery
