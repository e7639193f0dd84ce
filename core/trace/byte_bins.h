// Bytes over time, row by row (of a level, of a link): in at most so many equal intervals from the
// start, two of which become one when time outgrows them. So memory is bounded however long a run
// is, and every byte is in one interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units/total.h"
#include "core/units/units.h"

namespace orrery {

class ByteBins {
 public:
  // REQUIRES: most_bins >= 2, first_width > 0.
  ByteBins(std::size_t rows, std::int64_t most_bins, Duration first_width)
      : most_bins_(most_bins), width_(first_width), rows_(rows) {}

  // Spread evenly from begin to end, to a byte; what is left over is in the last interval.
  // REQUIRES: begin <= end, size >= 0.
  void add(std::size_t row, Time begin, Time end, Bytes size);

  Duration width() const { return width_; }  // of all intervals, of all rows
  Duration begin_of(std::size_t interval) const {
    return width_ * static_cast<std::int64_t>(interval);
  }
  Duration end_of(std::size_t interval) const;  // not beyond the clock
  std::size_t row_count() const { return rows_.size(); }
  // Up to the last interval to which something was added.
  std::span<const TotalBytes> row(std::size_t row) const { return rows_[row]; }

 private:
  void make_room(Time end);

  std::int64_t most_bins_;
  Duration width_;
  std::vector<std::vector<TotalBytes>> rows_;
};

}  // namespace orrery
