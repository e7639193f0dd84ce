#include "core/event/radix_heap.h"

namespace orrery {

void RadixHeap::allocate_block() {
  constexpr std::size_t blocks_per_allocation = 64;
  owned_.push_back(std::make_unique_for_overwrite<Block[]>(blocks_per_allocation));
  for (std::size_t i = blocks_per_allocation; i-- > 0;) recycle(&owned_.back()[i]);
}

}  // namespace orrery
