// Memory that ends, in builds with the address sanitizer. There a limit of the address space cannot
// be set, and the sanitizer's operator new ends the process where memory does not suffice. These
// operators throw std::bad_alloc, as they do in other builds, once an input holds too much.
#ifdef __SANITIZE_ADDRESS__
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::int64_t most_bytes = 2LL << 30;
std::atomic<std::int64_t> held_bytes = 0;

void* allocate_or_null(std::size_t size) noexcept {
  const auto bytes = static_cast<std::int64_t>(size);
  if (bytes < 0 || bytes > most_bytes - held_bytes.load(std::memory_order_relaxed)) return nullptr;
  void* memory = std::malloc(size);
  if (memory != nullptr)
    held_bytes.fetch_add(static_cast<std::int64_t>(malloc_usable_size(memory)),
                         std::memory_order_relaxed);
  return memory;
}

void* allocate(std::size_t size) {
  if (void* memory = allocate_or_null(size)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  held_bytes.fetch_sub(static_cast<std::int64_t>(malloc_usable_size(memory)),
                       std::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate_or_null(size);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
#endif
