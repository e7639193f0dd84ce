// Who sends how much to whom, by communicator: adds up the spans of messages, on any backend.
// Memory follows the number of pairs that talk to each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/trace/trace_sink.h"
#include "core/units/total.h"
#include "simulation/run_result.h"

namespace orrery {

class TrafficMatrix final : public TraceSink {
 public:
  bool wants_messages() const override { return true; }
  void on_span(const Span& span) override;

  // By communicator, point to point first; then by source and target.
  std::vector<MatrixRow> rows(const std::vector<std::string>& communicators) const;

 private:
  struct Sum {
    TotalBytes bytes;
    std::int64_t messages = 0;
  };
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Sum> sums_;  // group, from, to
};

}  // namespace orrery
