// One line per span, for spreadsheets and scripts:
//
//   rank,kind,operation,label,begin_ps,end_ps,bytes
//   0,collective,17,3,1000,251000,1048576
//
// `label` counts the rows of layers.csv from 0, -1 is none. A message has its target in the place
// of the operation, a stay of a message in an endpoint the rank at the other end. Lines come in the
// order in which spans end, at equal times in the order of events.
#pragma once

#include <ostream>

#include "core/trace/trace_sink.h"

namespace orrery {

class CsvSink : public TraceSink {
 public:
  enum class Messages { leave_out, include };

  // Writes the heading at once. `output` must outlive the sink; whoever gives it checks its state.
  explicit CsvSink(std::ostream& output, Messages messages = Messages::leave_out);

  bool wants_messages() const override { return messages_ == Messages::include; }
  void on_span(const Span& span) override;

 private:
  std::ostream& output_;
  Messages messages_;
};

}  // namespace orrery
