// A list in one piece of memory with room at both ends: its first and last elements come and go at
// no price, one in the middle moves the shorter side by a place. It takes 24 bytes: a rank has
// dozens, and most are empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace orrery {

template <class T>
class TwoEndedList {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T* begin() const { return memory_.get() + first_; }
  const T* end() const { return begin() + size_; }
  const T& front() const { return *begin(); }  // REQUIRES: !empty()
  const T& back() const { return end()[-1]; }  // REQUIRES: !empty()

  // Before `place`, which points into the list or to its end.
  void insert(const T* place, const T& element) {
    auto before = static_cast<std::uint32_t>(place - begin());
    if (first_ == 0 || first_ + size_ == capacity_) make_room();
    if (before < size_ - before)
      move(0, before, -1);
    else
      move(before, size_ - before, 1);
    if (before < size_ - before) --first_;
    ++size_;
    memory_[first_ + before] = element;
  }

  void erase(const T* place) {
    const auto before = static_cast<std::uint32_t>(place - begin());
    const std::uint32_t behind = size_ - before - 1;
    --size_;
    if (before < behind) {
      move(0, before, 1);
      ++first_;
    } else {
      move(before + 1, behind, -1);
    }
  }

 private:
  // `count` elements from `from` on, by one place up or down.
  void move(std::uint32_t from, std::uint32_t count, std::int32_t by) {
    if (count == 0) return;
    T* const source = memory_.get() + first_ + from;
    std::memmove(source + by, source, count * sizeof(T));
  }

  // In the middle, of twice as many places if half of them are in use.
  void make_room() {
    const std::uint32_t capacity = 2 * size_ < capacity_ ? capacity_ : std::max(4U, 2 * capacity_);
    const std::uint32_t first = (capacity - size_) / 2;
    if (capacity == capacity_) {
      if (size_ > 0) std::memmove(&memory_[first], &memory_[first_], size_ * sizeof(T));
    } else {
      auto memory = std::make_unique_for_overwrite<T[]>(capacity);
      if (size_ > 0) std::memcpy(&memory[first], &memory_[first_], size_ * sizeof(T));
      memory_ = std::move(memory);
      capacity_ = capacity;
    }
    first_ = first;
  }

  std::unique_ptr<T[]> memory_;
  std::uint32_t capacity_ = 0;
  std::uint32_t first_ = 0, size_ = 0;  // of the places, those in use
};

}  // namespace orrery
