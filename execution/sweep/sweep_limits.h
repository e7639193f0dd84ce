// How much a sweep may take: --keep, --time-limit, --memory-limit, --max-disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "core/units/units.h"
#include "execution/sweep/sweep_options.h"

namespace orrery {

struct SweepLimits {
  // Points that have folders: all, or so many of the fastest in this shard. Of others a line is
  // kept: report/sweep_records.h.
  bool keeps_all = true;
  std::size_t keeps_best = 0;
  // Of a point.
  std::optional<std::chrono::seconds> time;
  std::optional<Bytes> memory;
  // Of the sweep's folder.
  std::optional<Bytes> disk;
};

// Throws ConfigError with all that is wrong.
SweepLimits limits_of(const SweepOptions& options);

// What the files of a folder take on disk. It is measured again when that costs little of the time
// that went by.
class DiskUse {
 public:
  explicit DiskUse(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Bytes now();

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path folder_;
  Bytes used_;
  Clock::time_point measured_at_;
  Clock::duration cost_{};
};

}  // namespace orrery
