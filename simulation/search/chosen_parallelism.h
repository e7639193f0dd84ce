// The parallel configuration of a transformer whose user names none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/search/training_variants.h"

namespace orrery {

// What the user says of it nevertheless.
struct FixedParallelism {
  std::optional<std::int64_t> micro_batch;
  std::optional<Recompute> recompute;
  bool torus_is_fixed = true;  // ranks go along its dimensions in the order that the file has
};

struct ChosenParallelism {
  ParallelChoice choice;
  std::vector<std::int32_t> torus;  // its sizes, if ranks go along them in another order
  std::string text;  // "tp2 pp1 dp128 mb1 zero3, best of 384 estimates in 90 % of memory"
};

// The fastest by estimate (search.h) of a space that is smaller than that of a search. It has the
// schedules 1f1b and interleaved, full recomputation or none, and micro-batches of up to
// largest_micro_batch() samples (workload/assumed_batch.h). What fits leaves room for fragments
// and, if the user does not say npu.reserve, for what lies outside the allocator, or a tenth of the
// memory, if that is less. Where nothing does, there is room for fragments only, then not for these
// either, and last it is what needs least memory. On a torus, ranks go first along one dimension of
// each size in turn, as frameworks lay the axes of a mesh along dimensions. The groups of what is
// chosen lie on the levels alike, if any does so. Nothing where the memory of a device is not
// known, and beyond 131,072 NPUs or 1,000 layers: data parallelism alone.
std::optional<ChosenParallelism> choose_parallelism(const TrainingVariants& variants,
                                                    const FixedParallelism& fixed);

}  // namespace orrery
