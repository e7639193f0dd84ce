// Collects what the reports need from the spans of a run: per row of the job's label table the
// compute time, the collective with its raw latency, and the exposed time, for every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/trace/trace_sink.h"
#include "core/units/total.h"
#include "network/fold.h"
#include "system/collective_algorithm.h"

namespace orrery {

class SummarySink final : public TraceSink {
 public:
  struct Row {
    std::optional<std::uint8_t> detail;  // Span::detail of the row's communication
    Bytes bytes;                         // of one call on one rank, the largest
    TotalTime raw_sum;                   // over ranks and the calls of that size
    Duration raw_max;
    std::int64_t raw_count = 0;
    std::vector<Duration> compute, exposed;  // of each index_of(rank); empty if there was none
  };

  // If the job is folded, rows are of representatives, in their order.
  SummarySink(std::int32_t ranks, Fold fold, std::size_t labels)
      : ranks_(ranks / fold.multiplicity()), fold_(std::move(fold)), rows_(labels) {}

  void on_span(const Span& span) override;
  const std::vector<Row>& rows() const { return rows_; }
  std::size_t index_of(std::int32_t rank) const {
    return static_cast<std::size_t>(fold_.index_of(rank));
  }

 private:
  std::int32_t ranks_;  // that are seen
  Fold fold_;
  std::vector<Row> rows_;
};

}  // namespace orrery
