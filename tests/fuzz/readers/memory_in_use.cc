#include "tests/fuzz/readers/memory_in_use.h"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace orrery::fuzz {

namespace {

// Negative where memory of before is given back.
std::atomic<std::int64_t> in_use = 0, most_in_use = 0;

void add(const volatile void*, std::size_t size) {
  const std::int64_t now = in_use += static_cast<std::int64_t>(size);
  if (now > most_in_use) most_in_use = now;
}

void remove(const volatile void* memory) {
  if (memory != nullptr)
    in_use -=
        static_cast<std::int64_t>(__sanitizer_get_allocated_size(const_cast<const void*>(memory)));
}

}  // namespace

MemoryInUse::MemoryInUse() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(&add, &remove);
  static_cast<void>(installed);
  in_use = most_in_use = 0;
}

std::size_t MemoryInUse::most() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(most_in_use, 0));
}

}  // namespace orrery::fuzz
