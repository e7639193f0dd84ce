// How much memory was in use at a time, as the address sanitizer counts it: that of this process
// beyond what it had when the object was made.
#pragma once

#include <cstddef>

namespace orrery::fuzz {

class MemoryInUse {
 public:
  MemoryInUse();
  std::size_t most() const;
};

}  // namespace orrery::fuzz
