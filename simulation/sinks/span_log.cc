#include "simulation/sinks/span_log.h"

#include "core/base/log.h"
#include "core/units/unit_text.h"

namespace orrery {

bool SpanLog::wanted() { return log::is_on(log::Level::debug, log::Room::simulation); }

void SpanLog::on_span(const Span& span) {
  if (is_of_message(span.kind)) return;
  const std::string layer =
      span.label < 0 ? "" : " of " + job_.labels[static_cast<std::size_t>(span.label)].layer;
  const std::string what =
      span.kind == SpanKind::exposed ? "waiting" : std::string(name_of_detail(span.detail));
  const std::string size = span.size > Bytes{} ? ", " + to_text(span.size) : "";
  log::record(log::Level::debug, log::Room::simulation, "rank {}: {}{}{}, from {}", span.rank, what,
              layer, size, to_text(span.begin));
}

}  // namespace orrery
