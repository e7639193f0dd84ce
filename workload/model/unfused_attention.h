// Core attention as frameworks did it before flash attention: every step a kernel of its own, which
// reads or writes the scores of all pairs of tokens, heads x tokens x sequence elements each time.
//
//   forward   scores Q K^T; softmax (scaled, masked); dropout, with a mask of a byte an element;
//   times V backward  gradients of V and of the dropped scores; of dropout, of softmax; of Q and of
//   K
// The mask is a kernel of its own where no kernel of the softmax has it (eager): forwards before
// it, backwards behind it. The causal mask saves nothing. V. Korthikanti et al., "Reducing
// activation recomputation in large transformer models", MLSys 2023, section 4.1.
#pragma once

#include <cstdint>
#include <vector>

#include "system/operation_source.h"
#include "workload/workload_spec.h"

namespace orrery {

// Attention of the `heads` of one rank: `tokens` queries, the keys and values of their samples.
struct UnfusedAttention {
  std::int64_t tokens, sequence, heads;
  std::int64_t key_width, value_width;  // of a head
  Bytes element;
  bool masked_apart = false;

  std::vector<Compute> forward() const;
  std::vector<Compute> backward() const;

 private:
  std::int64_t pairs() const { return heads * tokens * sequence; }
  // Reads or writes all pairs and two matrices of tokens x heads x width.
  Compute product(std::int64_t width) const;
  // So many bytes for every pair.
  Compute pass_over_pairs(Bytes each) const;
};

}  // namespace orrery
