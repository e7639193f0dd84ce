// Which gradients are exchanged together. As in Megatron-LM's DistributedDataParallel: parameters
// in the order in which the backward pass finishes them fill a bucket until it is large enough; on
// later stages of a pipeline, whose exchange nothing waits for, one bucket holds a whole chunk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/units.h"

namespace orrery {

struct BucketRule {
  std::optional<Bytes> size;  // given by the user: holds on every stage
  Bytes element;              // of a gradient
  std::int32_t data = 1;      // ranks that exchange

  // A bucket is closed when it has reached this; nothing if it never is.
  std::optional<std::int64_t> elements(std::int32_t stage) const {
    if (size) return std::max<std::int64_t>(1, size->value / element.value);
    if (stage > 0) return std::nullopt;
    return std::max<std::int64_t>(40'000'000, std::int64_t{1'000'000} * data);
  }
};

// For each part, in the order of the backward pass, the size of the bucket that it closes; 0 if it
// closes none. The last one closes what is left.
inline std::vector<std::int64_t> bucket_sizes(const std::vector<std::int64_t>& parameters,
                                              std::optional<std::int64_t> enough) {
  std::vector<std::int64_t> sizes(parameters.size());
  std::int64_t filled = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    filled += parameters[i];
    const bool closes = i + 1 == parameters.size() || (enough && filled >= *enough);
    if (closes) sizes[i] = std::exchange(filled, 0);
  }
  return sizes;
}

}  // namespace orrery
