// Several sinks where one is expected. Messages reach only those that ask for them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/trace/trace_sink.h"

namespace orrery {

class TeeSink : public TraceSink {
 public:
  // The sinks are called in this order and must outlive the tee.
  explicit TeeSink(std::vector<TraceSink*> sinks) : sinks_(std::move(sinks)) {}

  bool wants_messages() const override {
    return std::any_of(sinks_.begin(), sinks_.end(),
                       [](const TraceSink* sink) { return sink->wants_messages(); });
  }

  void on_span(const Span& span) override {
    for (TraceSink* sink : sinks_) {
      if (!is_of_message(span.kind) || sink->wants_messages()) sink->on_span(span);
    }
  }

 private:
  std::vector<TraceSink*> sinks_;
};

}  // namespace orrery
