#include "simulation/sinks/level_activity.h"

namespace orrery {

void LevelActivity::on_span(const Span& span) {
  if (span.kind != SpanKind::message) return;
  const NodeId source{span.rank}, target{static_cast<std::int32_t>(span.operation)};
  const std::uint64_t crossed = crossed_.between(source, target);
  for (std::size_t level = 0; level < levels_.row_count(); ++level)
    if ((crossed >> level & 1) != 0) levels_.add(level, span.begin, span.end, span.size);
}

std::vector<ActivityRow> LevelActivity::rows() const {
  std::vector<ActivityRow> rows;
  const Duration width = levels_.width();
  for (std::size_t level = 0; level < levels_.row_count(); ++level) {
    const int l = static_cast<int>(level);
    const double most = static_cast<double>(topology_.injection_bandwidth(l).value) *
                        static_cast<double>(topology_.npu_count()) *
                        static_cast<double>(width.value) * 1e-12;
    const auto bins = levels_.row(level);
    for (std::size_t i = 0; i < bins.size(); ++i)
      rows.push_back({topology_.levels()[level].name, levels_.begin_of(i), levels_.end_of(i),
                      bins[i], bins[i].as_double() / most});
  }
  return rows;
}

}  // namespace orrery
