#include "simulation/sinks/message_log.h"

#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "simulation/name_of_traffic.h"

namespace orrery {

bool MessageLog::wanted() { return log::is_on(log::Level::debug, log::Room::network); }

void MessageLog::on_span(const Span& span) {
  if (span.kind != SpanKind::message) return;
  log::record(log::Level::debug, log::Room::network, "{} of {} from NPU {} to {}, sent at {}",
              to_text(span.size), name_of_traffic(span.detail), span.rank, span.operation,
              to_text(span.begin));
}

}  // namespace orrery
