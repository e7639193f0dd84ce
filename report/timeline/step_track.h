// The track of a rank itself: its iterations and in them the steps of its pipeline schedule, F3 for
// the forward pass of micro-batch 3, B3 for the backward pass, W3 for weight gradients that are
// computed apart, F3.1 for the second chunk of layers; and what its memory holds meanwhile.
//
// A step is from the first of its operations that the processor begins to the last that it ends:
// what the rank waits for in between is inside, what it waits for at an end is not. Steps that are
// done together, operation by operation, are drawn piece by piece.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/trace/trace_sink.h"
#include "report/timeline/track_event_writer.h"
#include "system/operation_source.h"

namespace orrery {

class StepTrack {
 public:
  // What the rank keeps (workload/memory/stage_memory.h): always, and of a micro-batch of each
  // chunk from its forward pass to the end of its backward pass.
  struct Memory {
    Bytes always;
    std::vector<Bytes> of_chunk;
  };

  // REQUIRES: writer outlives this; `track` is one of its tracks.
  StepTrack(TrackEventWriter& writer, TrackEventWriter::Track track, std::optional<Memory> memory);

  // The rank computed or waited, in time. `iteration` from 1.
  void computed(const Span& span, const OperationPlace& place, std::int32_t iteration);
  void waited(const Span& span) { until_ = span.end; }
  // Ends what is open.
  void close();

 private:
  bool is_open(const OperationPlace& place) const;
  void close_step();
  void close_iteration();
  void open_step(Time begin, const OperationPlace& place);
  void release(Time at);
  void show_memory(Time at);

  TrackEventWriter& writer_;
  TrackEventWriter::Track track_, memory_track_ = 0;
  std::optional<Memory> memory_;
  std::int32_t iteration_ = 0;  // that is open; 0 = none
  std::optional<OperationPlace> step_;
  std::int32_t group_ = -1;
  Time step_until_, until_;
  // Of micro-batches and chunks: what is kept, and what goes when the steps now done together end.
  std::set<std::pair<std::int32_t, std::int32_t>> kept_, ending_;
};

}  // namespace orrery
