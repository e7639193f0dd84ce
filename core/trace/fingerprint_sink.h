// One number for everything a run computed: 128 bits over (rank, operation, begin, end, size) of
// every compute and collective span. Two runs with the same fingerprint had the same times,
// whatever the order in which their events were executed, because the spans' hashes are added.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/trace/trace_sink.h"

namespace orrery {

class FingerprintSink : public TraceSink {
 public:
  void on_span(const Span& span) override { add(span, 1); }

  // As if `span` had been seen `multiplicity` times: how a folded run expands.
  void add(const Span& span, std::uint64_t multiplicity);

  std::string hex() const;  // 32 digits

 private:
  std::array<std::uint64_t, 2> sums_{};
};

}  // namespace orrery
