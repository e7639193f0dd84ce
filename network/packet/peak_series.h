// The largest values of something that changes in steps, in at most 128 equal intervals: when the
// run outgrows them, pairs are merged and the interval doubles. Needs no event of its own, so it
// never keeps a run alive.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units/units.h"

namespace orrery {

class PeakSeries {
 public:
  // From `at` on. REQUIRES: not before the last change, nor negative.
  void set(Time at, std::int64_t value) {
    if (at.since_start.value >= end_)
      begin_interval(at.since_start.value, value);
    else
      peak_ = std::max(peak_, value);
    value_ = value;
  }

  void widen(Duration interval) {
    if (interval_ >= interval) return;
    peaks_[changed_] = peak_;
    while (interval_ < interval) merge_pairs();
    peak_ = peaks_[changed_];
    end_ = static_cast<std::int64_t>(changed_ + 1) * interval_.value;
  }

  Duration interval() const { return interval_; }
  // To the one of the last change.
  std::vector<std::int64_t> peaks() const {
    std::vector<std::int64_t> all(peaks_.begin(), peaks_.begin() + changed_);
    all.push_back(peak_);
    return all;
  }
  std::int64_t most() const {
    return std::max(*std::max_element(peaks_.begin(), peaks_.end()), peak_);
  }

 private:
  void begin_interval(std::int64_t now, std::int64_t value) {
    peaks_[changed_] = peak_;
    while (now / interval_.value >= static_cast<std::int64_t>(peaks_.size())) merge_pairs();
    const auto place = static_cast<std::size_t>(now / interval_.value);
    const auto held_until = static_cast<std::size_t>(std::max<std::int64_t>(now - 1, 0) /
                                                     interval_.value);  // the value before
    for (std::size_t i = changed_ + 1; i <= held_until; ++i) peaks_[i] = value_;
    peak_ = std::max(peaks_[place], value);
    changed_ = place;
    end_ = static_cast<std::int64_t>(place + 1) * interval_.value;
  }
  void merge_pairs() {
    const std::size_t half = peaks_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) peaks_[i] = std::max(peaks_[2 * i], peaks_[2 * i + 1]);
    std::fill(peaks_.begin() + half, peaks_.end(), 0);
    changed_ /= 2;
    interval_ = interval_ * 2;
  }

  // Of the interval of the last change: what every change needs is in a cache line.
  std::int64_t value_ = 0, peak_ = 0;
  std::int64_t end_ = 0;     // ps; 0: there was none
  std::size_t changed_ = 0;  // its place
  Duration interval_ = microseconds(1);
  std::array<std::int64_t, 128> peaks_{};
};

}  // namespace orrery
