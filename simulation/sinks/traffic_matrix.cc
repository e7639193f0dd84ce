#include "simulation/sinks/traffic_matrix.h"

namespace orrery {

void TrafficMatrix::on_span(const Span& span) {
  if (span.kind != SpanKind::message) return;
  Sum& sum = sums_[{span.group, span.rank, static_cast<std::int32_t>(span.operation)}];
  sum.bytes += span.size;
  ++sum.messages;
}

std::vector<MatrixRow> TrafficMatrix::rows(const std::vector<std::string>& communicators) const {
  std::vector<MatrixRow> rows;
  for (const auto& [key, sum] : sums_) {
    const auto [group, source, target] = key;
    rows.push_back({group < 0 ? "" : communicators[static_cast<std::size_t>(group)], source, target,
                    sum.bytes, sum.messages});
  }
  return rows;
}

}  // namespace orrery
