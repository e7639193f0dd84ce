// What the stages of a pipeline do in the first iteration: which micro-batch passes through which
// chunk of layers, and when. One rank of each stage is watched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/trace_sink.h"
#include "network/fold.h"
#include "simulation/experiment.h"
#include "simulation/result_rows.h"
#include "system/job.h"

namespace orrery {

class StepSink final : public TraceSink {
 public:
  static constexpr std::size_t most_rows = 8192;  // of all stages; what begins later is left out

  // Watches nobody unless the experiment trains a transformer with a pipeline. REQUIRES: `job`
  // outlives the sink.
  StepSink(const Experiment& experiment, const Job& job, const Fold& fold);

  void on_span(const Span& span) override;

  // By stage, then by time.
  std::vector<StepRow> rows() const;

 private:
  struct Lane {
    std::vector<StepRow> steps = {};
    std::int32_t group = -1;  // of the last step: others of the same group are done with it
    Duration waited = {};     // since the last operation
  };
  void computed(Lane& lane, const Span& span);

  static constexpr std::int32_t nobody = -1;
  const Job& job_;
  std::vector<std::int32_t> lane_of_rank_;
  std::vector<Lane> lanes_;  // by stage
};

}  // namespace orrery
