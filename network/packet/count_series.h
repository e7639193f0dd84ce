// How often something happened in each of the intervals of a PeakSeries, which double in the same
// way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/units/units.h"

namespace orrery {

class CountSeries {
 public:
  void add(Time at) {
    const std::int64_t now = at.since_start.value;
    while (now / interval_.value >= static_cast<std::int64_t>(counts_.size())) merge_pairs();
    const auto place = static_cast<std::size_t>(now / interval_.value);
    ++counts_[place];
    used_ = std::max(used_, place + 1);
  }

  void widen(Duration interval) {
    while (interval_ < interval) merge_pairs();
  }

  Duration interval() const { return interval_; }
  // To the last one in which something happened; empty if nothing did.
  std::span<const std::int64_t> counts() const { return {counts_.data(), used_}; }

 private:
  void merge_pairs() {
    const std::size_t half = counts_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
    std::fill(counts_.begin() + half, counts_.end(), 0);
    used_ = (used_ + 1) / 2;
    interval_ = interval_ * 2;
  }

  std::size_t used_ = 0;
  Duration interval_ = microseconds(1);
  std::array<std::int64_t, 128> counts_{};
};

}  // namespace orrery
