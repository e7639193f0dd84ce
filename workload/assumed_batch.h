// The samples of an iteration where nobody says.
#pragma once

#include <cstdint>

namespace orrery {

// What the batch has to be a multiple of: each data-parallel replica takes whole micro-batches, and
// a pipeline as many of them as it has stages, which every schedule can divide.
struct BatchUnit {
  std::int64_t data = 1, micro_batch = 1, pipeline = 1;
};

// About 4 Mi tokens, the batch with which Llama 3 begins (8B and 405B: arXiv:2407.21783,
// section 3.4); GPT-3 has 3.2 M (arXiv:2005.14165, table 2.1). It is open how the ranks are
// divided: a micro-batch for each rank, or for as large a part of them as 4 Mi tokens hold,
// halving. Each of them has a multiple of 4 or 2 samples where an eighth more or less allows it, so
// that larger micro-batches can be chosen.
std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, std::int64_t micro_batch = 1);

// The same where the ranks are divided: as many samples as if it were open, to be compared with
// that, if they are a multiple of `unit`; else the nearest multiple to 4 Mi tokens, and at least
// one.
std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, const BatchUnit& unit);

}  // namespace orrery
