#include "core/trace/byte_bins.h"

#include <algorithm>

namespace orrery {

void ByteBins::add(std::size_t row, Time begin, Time end, Bytes size) {
  make_room(end);
  std::vector<TotalBytes>& bins = rows_[row];
  const auto first = static_cast<std::size_t>(begin.since_start.value / width_.value);
  const auto last = static_cast<std::size_t>(end.since_start.value / width_.value);
  if (bins.size() <= last) bins.resize(last + 1);
  Bytes left = size;
  for (std::size_t i = first; i < last; ++i) {
    const Duration until = width_ * static_cast<std::int64_t>(i + 1);
    const Duration inside =
        std::min(until, end.since_start) - std::max(until - width_, begin.since_start);
    const Bytes part{
        static_cast<std::int64_t>(static_cast<units_internal::Unsigned128>(size.value) *
                                  static_cast<units_internal::Unsigned128>(inside.value) /
                                  static_cast<units_internal::Unsigned128>((end - begin).value))};
    bins[i] += part;
    left -= part;
  }
  bins[last] += left;
}

Duration ByteBins::end_of(std::size_t interval) const {
  const Duration begin = begin_of(interval), left = Time::last() - Time{begin};
  return begin + std::min(width_, left);
}

// Joins neighbouring intervals until `end` is within the last one.
void ByteBins::make_room(Time end) {
  while (end.since_start.value / most_bins_ >= width_.value) {
    width_ = width_ * 2;
    for (std::vector<TotalBytes>& bins : rows_) {
      for (std::size_t i = 0; i < bins.size(); ++i) {
        if (i % 2 == 0)
          bins[i / 2] = bins[i];
        else
          bins[i / 2] += bins[i];
      }
      bins.resize((bins.size() + 1) / 2);
    }
  }
}

}  // namespace orrery
