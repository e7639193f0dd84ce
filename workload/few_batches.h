// Few of the micro-batches of a training, from which what the others do follows: a pipeline that is
// filled does the same again and again.
#pragma once

#include <cstdint>
#include <optional>

#include "workload/workload_spec.h"

namespace orrery {

// A number of micro-batches after which a filled pipeline does the same again: a multiple of what
// passes a chunk in a row, even, as dualpipe has it; at least two for each stage.
std::int32_t period_of(const TransformerTraining& training);

// few + repeats * period are all micro-batches of a pipeline.
struct FewBatches {
  std::int32_t few = 0, period = 0, repeats = 0;
};

// With `few` micro-batches a pipeline is filled. From then on each `period` of them adds the same
// operations, unless experts are drawn, to the program of every stage. Nothing where writing few
// down, and then one period more, would be as long as writing all.
std::optional<FewBatches> few_batches(const TransformerTraining& training);

void set_micro_batches(TransformerTraining& training, std::int64_t count);

}  // namespace orrery
