// How long something that changes in steps was how large, in bins of 1,000, as the simulators of
// the field count waiting bytes (HPCC's qlen.txt). Needs no event of its own; memory is that of the
// largest value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units/units.h"

namespace orrery {

class DepthHistogram {
 public:
  static constexpr std::int64_t bin = 1'000;

  // From `at` on. REQUIRES: not before the last change, nor negative.
  void set(Time at, std::int64_t value) {
    add(times_, at);
    value_ = value;
    since_ = at;
  }

  // By bin, to that of the largest value; empty if it was always 0.
  std::vector<Duration> until(Time now) const {
    if (times_.empty()) return {};
    std::vector<Duration> times = times_;
    add(times, now);
    return times;
  }

 private:
  void add(std::vector<Duration>& times, Time now) const {
    const auto place = static_cast<std::size_t>(value_ / bin);
    if (place >= times.size()) times.resize(place + 1);
    times[place] += now - since_;
  }

  std::vector<Duration> times_;
  Time since_;
  std::int64_t value_ = 0;
};

}  // namespace orrery
