// Which parallel configurations are allowed and fit into the devices' memory: what `orrery validate
// --what-fits` lists and `orrery search` goes on with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/search/search_space.h"
#include "simulation/search/training_variants.h"

namespace orrery {

struct FittingChoice {
  ParallelChoice choice;
  TransformerTraining training;
  Bytes memory;  // of a rank of the fullest stage
};

// Choices that a rule of the training frameworks, or arithmetic, forbids.
struct RefusedChoices {
  std::int64_t count = 0;
  std::string example;  // what is wrong with the first of them
};

struct FittingChoices {
  std::vector<FittingChoice> fitting;             // in the order of the space
  std::int64_t enumerated = 0, too_large = 0;     // of these, allowed but without room
  std::int64_t unchecked = 0;                     // not among them: the work was ended early
  std::map<std::string, RefusedChoices> refused;  // by the key that is wrong
  std::optional<Bytes> room;                      // of an NPU; none = not known: everything fits
  std::optional<FittingChoice> smallest_too_large;
  std::int64_t uneven = 0;   // fit, and were left out by even_ones_of()
  bool only_uneven = false;  // all that fit are such, so they were kept
};

// Those of the space. Where none and full recomputation are among its kinds, `recompute_layers` is
// not written, and full recomputation fits but none does not, also the fewest layers of each chunk
// to compute again that fit; with what the allocator reserves, in each case.
//
// On so many threads; the result does not depend on it. `progress` is told how many choices are
// done, from any thread, and ends the work early by returning false. REQUIRES: workers > 0.
FittingChoices fitting_choices(const TrainingVariants& variants, const SearchSpec& spec,
                               std::size_t workers,
                               const std::function<bool(std::size_t done)>& progress = {});

// Those whose groups of each kind all lie on the levels of the platform in the same way, if there
// is one: a stage of 64 ranks in nodes of 72 is in one node or in two, and an estimate knows the
// first one only.
FittingChoices even_ones_of(FittingChoices found, const TopologySpec& topology);

// The memory of the fullest stage.
Bytes most_memory(const TransformerWorkload& workload);

// What may be allocated, so that what the allocator reserves fits (npu.fragmentation). REQUIRES:
// the memory is known.
Bytes room_without_fragments(const NpuSpec& npu);

}  // namespace orrery
