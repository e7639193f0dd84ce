#include "frontends/report/level_activity.h"

#include <algorithm>

namespace orrery {

void LevelActivity::on_span(const Span& span) {
  if (span.kind != SpanKind::message) return;
  make_room(span.end);
  const NodeId source{span.rank}, target{static_cast<std::int32_t>(span.operation)};
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const int l = static_cast<int>(level);
    if (topology_.coordinate(source, l) != topology_.coordinate(target, l))
      spread(levels_[level], span.begin, span.end, span.size);
  }
}

// Joins neighbouring samples until `end` is within the last one.
void LevelActivity::make_room(Time end) {
  while (end.since_start.value >= interval_.value * most_samples) {
    interval_ = interval_ * 2;
    for (std::vector<Bytes>& samples : levels_) {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (i % 2 == 0)
          samples[i / 2] = samples[i];
        else
          samples[i / 2] += samples[i];
      }
      samples.resize((samples.size() + 1) / 2);
    }
  }
}

void LevelActivity::spread(std::vector<Bytes>& samples, Time begin, Time end, Bytes size) const {
  const auto first = static_cast<std::size_t>(begin.since_start.value / interval_.value);
  const auto last = static_cast<std::size_t>(end.since_start.value / interval_.value);
  if (samples.size() <= last) samples.resize(last + 1);
  Bytes left = size;
  for (std::size_t i = first; i < last; ++i) {
    const Duration until = interval_ * static_cast<std::int64_t>(i + 1);
    const Duration inside =
        std::min(until, end.since_start) - std::max(until - interval_, begin.since_start);
    const Bytes part{
        static_cast<std::int64_t>(static_cast<units_internal::Unsigned128>(size.value) *
                                  static_cast<units_internal::Unsigned128>(inside.value) /
                                  static_cast<units_internal::Unsigned128>((end - begin).value))};
    samples[i] += part;
    left -= part;
  }
  samples[last] += left;
}

std::vector<ActivityRow> LevelActivity::rows() const {
  std::vector<ActivityRow> rows;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const int l = static_cast<int>(level);
    const double most = static_cast<double>(topology_.injection_bandwidth(l).value) *
                        static_cast<double>(topology_.npu_count()) *
                        static_cast<double>(interval_.value) * 1e-12;
    for (std::size_t i = 0; i < levels_[level].size(); ++i) {
      const Duration begin = interval_ * static_cast<std::int64_t>(i);
      rows.push_back({topology_.levels()[level].name, begin, begin + interval_, levels_[level][i],
                      static_cast<double>(levels_[level][i].value) / most});
    }
  }
  return rows;
}

}  // namespace orrery
