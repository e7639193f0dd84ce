#include "system/pair_sizes.h"

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

PairSizes PairSizes::matrix(std::int32_t ranks, std::vector<Bytes> sizes) {
  const auto length = static_cast<std::size_t>(ranks);
  CHECK(sizes.size() == length * length, "{} sizes for {} ranks", sizes.size(), ranks);
  return {ranks, length, std::move(sizes)};
}

// Position t gets what lies between two marks on the row, so that all of them are the row.
PairSizes PairSizes::weighted(std::int32_t ranks, Bytes row,
                              std::span<const std::int64_t> weights) {
  const auto weight = [&](std::int32_t t) {
    return weights[static_cast<std::size_t>(t) % weights.size()];
  };
  std::int64_t total = 0;
  for (std::int32_t t = 0; t < ranks; ++t) total += weight(t);
  CHECK(total > 0 && total >> 31 == 0, "{} weights with a sum of {}", weights.size(), total);
  std::vector<Bytes> sizes;
  std::int64_t sum = 0, mark = 0;
  for (std::int32_t t = 0; t < ranks; ++t) {
    sum += weight(t);
    const std::int64_t next = row.value / total * sum + row.value % total * sum / total;
    sizes.push_back({next - mark});
    mark = next;
  }
  return {ranks, 0, std::move(sizes)};
}

Bytes PairSizes::largest_row() const {
  const auto length = static_cast<std::size_t>(ranks_);
  Bytes largest;
  for (std::size_t begin = 0; begin < sizes_.size(); begin += length) {
    Bytes row;
    for (std::size_t i = 0; i < length; ++i) row += sizes_[begin + i];
    largest = std::max(largest, row);
  }
  return largest;
}

}  // namespace orrery
