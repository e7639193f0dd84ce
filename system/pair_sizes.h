// What an all-to-allv carries: so many bytes from each rank of a group to each other one.
// Immutable, and shared by all calls that carry the same.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

class PairSizes {
 public:
  // Row by row: entry source * ranks + target is what goes from source to target. What a rank keeps
  // (source = target) never leaves it. REQUIRES: ranks * ranks entries, none negative.
  static PairSizes matrix(std::int32_t ranks, std::vector<Bytes> sizes);

  // Every rank sends `row` in all, to position t in proportion to weights[t]; fewer weights than
  // ranks are repeated. Costs memory for one row. REQUIRES: some weight in use, none negative,
  // their sum over the ranks below 2^31.
  static PairSizes weighted(std::int32_t ranks, Bytes row, std::span<const std::int64_t> weights);

  std::int32_t ranks() const { return ranks_; }
  Bytes size(Position source, Position target) const {
    return sizes_[static_cast<std::size_t>(source) * row_length_ +
                  static_cast<std::size_t>(target)];
  }
  // What the rank that has most starts with, its own part included.
  Bytes largest_row() const;

  bool operator==(const PairSizes& other) const = default;

 private:
  PairSizes(std::int32_t ranks, std::size_t row_length, std::vector<Bytes> sizes)
      : ranks_(ranks), row_length_(row_length), sizes_(std::move(sizes)) {}

  std::int32_t ranks_;
  std::size_t row_length_;  // 0: all rows are the same
  std::vector<Bytes> sizes_;
};

}  // namespace orrery
