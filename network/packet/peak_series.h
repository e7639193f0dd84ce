// The largest values over time, in at most 128 equal intervals: when the run outgrows them, pairs
// are merged and the interval doubles. Needs no event of its own, so it never keeps a run alive.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/units/units.h"

namespace orrery {

class PeakSeries {
 public:
  void add(Time at, std::int64_t value) {
    auto place = static_cast<std::size_t>(at.since_start.value / interval_.value);
    while (place >= peaks_.size()) {
      merge_pairs();
      place = static_cast<std::size_t>(at.since_start.value / interval_.value);
    }
    peaks_[place] = std::max(peaks_[place], value);
    used_ = std::max(used_, place + 1);
    most_ = std::max(most_, value);
  }

  Duration interval() const { return interval_; }
  std::span<const std::int64_t> peaks() const { return {peaks_.data(), used_}; }
  std::int64_t most() const { return most_; }

 private:
  void merge_pairs() {
    const std::size_t half = peaks_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) peaks_[i] = std::max(peaks_[2 * i], peaks_[2 * i + 1]);
    std::fill(peaks_.begin() + half, peaks_.end(), 0);
    used_ = (used_ + 1) / 2;
    interval_ = interval_ * 2;
  }

  Duration interval_ = microseconds(1);
  std::array<std::int64_t, 128> peaks_{};
  std::size_t used_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace orrery
