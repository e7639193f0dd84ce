// Where everything that happened goes. Model code emits spans with quantities; it never formats and
// never opens a file. Summary, CSV, fingerprint and timeline are sinks.
#pragma once

#include <cstdint>

#include "core/units/units.h"

namespace orrery {

enum class SpanKind : std::uint8_t {
  compute,     // the rank's processor was busy with an operation
  collective,  // a collective or point-to-point operation of a rank, from issue to completion
  exposed,     // the rank computed nothing and waited for communication; booked to the label that
               // was waited for
  message,     // one message, from send to delivery; only for sinks that ask for it
  endpoint,    // a message in a rank's endpoint, before its way or after it; only for sinks that
               // ask for messages
};

// Spans of single messages, of which there are many: only for sinks that want them.
constexpr bool is_of_message(SpanKind kind) {
  return kind == SpanKind::message || kind == SpanKind::endpoint;
}

struct Span {
  SpanKind kind;
  std::int32_t rank;       // for a message: the source
  std::int64_t operation;  // the rank's operation; for a message: the target rank; in an endpoint:
                           // the rank at the other end
  std::int32_t label;      // row of the job's label table (layer, iteration, pass); -1 = none
  std::uint8_t detail;     // what kind of operation, as the emitter numbers them (system/job.h)
  Time begin, end;
  Bytes size;  // of the operation on this rank as nccl-tests counts it; 0 for compute and exposed
  std::int32_t group = -1;  // of a message: the job's communicator; -1 = point to point
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual bool wants_messages() const { return false; }
  virtual void on_span(const Span& span) = 0;
};

}  // namespace orrery
