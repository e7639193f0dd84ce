#include "simulation/sinks/summary_sink.h"

#include <algorithm>

namespace orrery {

void SummarySink::on_span(const Span& span) {
  if (span.label < 0 || is_of_message(span.kind)) return;
  Row& row = rows_[span.label];
  const Duration duration = span.end - span.begin;
  const auto add_to = [&](std::vector<Duration>& by_rank) {
    if (by_rank.empty()) by_rank.resize(ranks_);
    by_rank[index_of(span.rank)] += duration;
  };
  switch (span.kind) {
    case SpanKind::compute:
      add_to(row.compute);
      break;
    case SpanKind::exposed:
      row.detail = span.detail;
      add_to(row.exposed);
      break;
    case SpanKind::collective:
      row.detail = span.detail;
      if (span.size < row.bytes) break;
      if (span.size > row.bytes) row.raw_sum = {}, row.raw_max = {}, row.raw_count = 0;
      row.bytes = span.size;
      row.raw_sum += duration;
      row.raw_max = std::max(row.raw_max, duration);
      ++row.raw_count;
      break;
    case SpanKind::message:
    case SpanKind::endpoint:
      break;
  }
}

}  // namespace orrery
