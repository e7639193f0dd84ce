// How a collective's buffer is cut: into chunks, and each of these into equal parts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units/units.h"

namespace orrery {

// `count` parts whose sizes differ by at most one byte, the larger ones first: the chunks of a
// buffer, and the shares of all-to-allvs, of which no byte is sent twice.
class PieceSizes {
 public:
  PieceSizes() = default;
  PieceSizes(Bytes total, std::int32_t count)
      : small_(total.value / count), larger_(total.value % count) {}

  Bytes size(std::int32_t index) const { return {small_ + (index < larger_ ? 1 : 0)}; }

 private:
  std::int64_t small_ = 0, larger_ = 0;
};

// One of `count` equal parts that hold `size`, in whole bytes: what ranks and plans cut a chunk
// into. Software cuts so: reduce-scatter and all-gather of NCCL take equal counts, for which
// Megatron-LM and FSDP pad their buffers, and a step of a ring takes as long as its largest part.
// Together the parts are fewer than `count` bytes larger than `size`. REQUIRES: count > 0.
inline Bytes equal_part(Bytes size, std::int64_t count) {
  return {size.value / count + (size.value % count == 0 ? 0 : 1)};
}

// Into how many chunks a collective of `size` is cut: `wanted`, unless that makes a chunk smaller
// than `minimum`; at least 1.
inline std::int32_t chunk_count(Bytes size, std::int32_t wanted, Bytes minimum) {
  const std::int64_t fit = std::max<std::int64_t>(1, size.value / minimum.value);
  return static_cast<std::int32_t>(std::min<std::int64_t>(wanted, fit));
}

}  // namespace orrery
