// How a buffer is cut: `count` parts whose sizes differ by at most one byte, the larger ones first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

class PieceSizes {
 public:
  PieceSizes() = default;
  PieceSizes(Bytes total, std::int32_t count)
      : count_(count), small_(total.value / count), larger_(total.value % count) {}

  Bytes size(std::int32_t index) const { return {small_ + (index < larger_ ? 1 : 0)}; }

  // Of several, which may wrap round. REQUIRES: 0 <= first < count, 0 <= their count <= count.
  Bytes size(const Pieces& pieces) const {
    if (pieces.count == 1) return size(pieces.first);
    if (pieces.run == 0) return {between(pieces.first, pieces.count)};
    if (larger_ == 0) return {pieces.count * small_};
    std::int64_t sum = 0;
    for (std::int32_t i = 0; i < pieces.count; i += pieces.run)
      sum += between(static_cast<std::int32_t>(pieces.at(i) % count_),
                     std::min(pieces.run, pieces.count - i));
    return {sum};
  }

 private:
  std::int64_t between(std::int32_t first, std::int32_t count) const {
    const std::int32_t end = first + count;
    if (end <= count_) return before(end) - before(first);
    return before(count_) - before(first) + before(end - count_);
  }
  std::int64_t before(std::int32_t index) const {
    return index * small_ + std::min<std::int64_t>(index, larger_);
  }

  std::int32_t count_ = 1;
  std::int64_t small_ = 0, larger_ = 0;
};

// Into how many chunks a collective of `size` is cut: `wanted`, unless that makes a chunk smaller
// than `minimum`; at least 1.
inline std::int32_t chunk_count(Bytes size, std::int32_t wanted, Bytes minimum) {
  const std::int64_t fit = std::max<std::int64_t>(1, size.value / minimum.value);
  return static_cast<std::int32_t>(std::min<std::int64_t>(wanted, fit));
}

}  // namespace orrery
