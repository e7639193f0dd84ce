// What work costs on the device itself, remembered: the ranks of a stage all do the same work, and
// a roofline takes a dozen divisions of 128 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "system/compute_model.h"

namespace orrery {

class ComputeMemo {
 public:
  struct Cost {
    Duration time;       // ComputeModel::time_of
    ComputeLimit limit;  // and limit_of
  };

  // REQUIRES: `model` outlives this.
  explicit ComputeMemo(const ComputeModel& model) : model_(model) {}

  Cost of(const Compute& work) {
    Entry& entry = entries_[place_of(work)];
    if (!entry.known || !are_same(entry.work, work))
      entry = {true, work, {model_.time_of(work), model_.limit_of(work)}};
    return entry.cost;
  }

 private:
  struct Entry {
    bool known = false;
    Compute work;
    Cost cost;
  };
  static constexpr int kBits = 6;

  static std::size_t place_of(const Compute& work) {
    const std::int64_t mixed = work.flops.value ^ work.memory_traffic.value << 1 ^
                               work.measured.value_or(Duration{}).value << 2;
    return static_cast<std::uint64_t>(mixed) * 0x9E3779B97F4A7C15ULL >> (64 - kBits);
  }
  static bool are_same(const Compute& a, const Compute& b) {
    return a.flops == b.flops && a.memory_traffic == b.memory_traffic && a.measured == b.measured &&
           a.kernel == b.kernel && a.shape == b.shape;
  }

  const ComputeModel& model_;
  std::array<Entry, std::size_t{1} << kBits> entries_;
};

}  // namespace orrery
