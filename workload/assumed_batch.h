// The samples of an iteration, and of a micro-batch, where nobody says.
#pragma once

#include <cstdint>

namespace orrery {

// What the batch has to be a multiple of: each data-parallel replica takes whole micro-batches, and
// a pipeline as many of them as it has stages, which every schedule can divide.
struct BatchUnit {
  std::int64_t data = 1, micro_batch = 1, pipeline = 1;
};

// Micro-batches of 1, 2, 4, ... samples up to this are compared: those of 16,384 tokens, or of four
// samples where these are more; 128 samples at most. Short sequences need many samples to fill an
// NPU.
std::int64_t largest_micro_batch(std::int64_t sequence);

// About 4 Mi tokens, the batch with which Llama 3 begins (8B and 405B: arXiv:2407.21783,
// section 3.4); GPT-3 has 3.2 M (arXiv:2005.14165, table 2.1). It is open how the ranks are
// divided: a micro-batch for each rank, or for as large a part of them as 4 Mi tokens hold,
// halving. Each of them has a multiple of largest_micro_batch() samples, or of as large a part of
// it as an eighth more or less allows, halving, so that larger micro-batches can be chosen.
std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, std::int64_t micro_batch = 1);

// The same where the ranks are divided: as many samples as if it were open, to be compared with
// that, if they are a multiple of `unit`; else the nearest multiple to 4 Mi tokens, and at least
// one.
std::int64_t assumed_batch(std::int64_t sequence, std::int64_t ranks, const BatchUnit& unit);

}  // namespace orrery
