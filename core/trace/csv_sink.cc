#include "core/trace/csv_sink.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace orrery {

namespace {

std::string_view name(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return "compute";
    case SpanKind::collective:
      return "collective";
    case SpanKind::exposed:
      return "exposed";
    case SpanKind::message:
      return "message";
    case SpanKind::endpoint:
      return "endpoint";
  }
  return "unknown";
}

}  // namespace

CsvSink::CsvSink(std::ostream& output, Messages messages) : output_(output), messages_(messages) {
  output_ << "rank,kind,operation,label,begin_ps,end_ps,bytes\n";
}

void CsvSink::on_span(const Span& span) {
  if (is_of_message(span.kind) && !wants_messages()) return;
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{},{},{},{},{},{},{}\n", span.rank, name(span.kind),
                 span.operation, span.label, span.begin.since_start.value,
                 span.end.since_start.value, span.size.value);
  output_.write(line.data(), static_cast<std::streamsize>(line.size()));
}

}  // namespace orrery
