// Messages as log records, when the network's single events are asked for: -vv, --log-level
// network=debug.
#pragma once

#include "core/trace/trace_sink.h"

namespace orrery {

class MessageLog : public TraceSink {
 public:
  static bool wanted();
  bool wants_messages() const override { return true; }
  void on_span(const Span& span) override;
};

}  // namespace orrery
