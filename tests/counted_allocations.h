// This program's operator new counts allocations, and the bytes that are held. Include it in one
// file of a test program.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {
std::uint64_t allocations = 0;
std::size_t held_bytes = 0, held_bytes_at_most = 0;  // set the latter to the former to begin anew

void* counted_memory(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  ++allocations;
  held_bytes += malloc_usable_size(memory);
  held_bytes_at_most = std::max(held_bytes_at_most, held_bytes);
  return memory;
}
void release_counted(void* memory) noexcept {
  held_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

// Not inlined: the compiler would see free() of what came from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = counted_memory(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted_memory(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release_counted(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  release_counted(memory);
}
