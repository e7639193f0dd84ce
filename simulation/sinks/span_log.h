// What ranks do, as log records, when single events are asked for: -vv, --log-level
#pragma once

#include "core/trace/trace_sink.h"
#include "system/job.h"

namespace orrery {

class SpanLog : public TraceSink {
 public:
  explicit SpanLog(const Job& job) : job_(job) {}  // REQUIRES: job outlives the sink

  static bool wanted();
  void on_span(const Span& span) override;

 private:
  const Job& job_;
};

}  // namespace orrery
