// What a slice of a trace is called, and on which track of its rank it is.
#pragma once

#include <cstdint>
#include <string>

#include "core/trace/trace_sink.h"
#include "system/job.h"
#include "system/rank/traffic_account.h"

namespace orrery {

// Tracks of a rank are drawn in the order of their places.
struct SpanTrack {
  std::int32_t place;
  std::string name;  // "compute", "exposed", "TP", "PP sends", "all_reduce"
};

class SpanText {
 public:
  // REQUIRES: job outlives this.
  explicit SpanText(const Job& job) : job_(job), kinds_(job.labels) {}

  // Communication is drawn by kind of traffic; if labels name none, by kind of collective.
  SpanTrack track_of(const Span& span) const;

  // "attention 3 forward mb 0", "tensor all_reduce 16.78 MB 3 mb 0", "waits: activations mb 0":
  // the layer of the table and the one of the model, the pass, the size, the micro-batch. Of
  // messages "to 5: 1.049 MB, data".
  std::string name_of(const Span& span, const OperationPlace& place) const;

 private:
  const Job& job_;
  TrafficKinds kinds_;
};

}  // namespace orrery
