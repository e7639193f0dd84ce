// A run as a picture: for each traced rank a track of its iterations and steps, one of what it
// computed, one of what it waited for, and one for each kind of communication (docs/trace.md).
// Spans are written as they end, so memory does not grow with the run; beyond a limit they are
// dropped and counted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "network/fold.h"
#include "report/timeline/flows.h"
#include "report/timeline/span_text.h"
#include "report/timeline/step_track.h"
#include "report/timeline/track_event_writer.h"
#include "simulation/run_observer.h"
#include "system/job.h"

namespace orrery {

class Timeline final : public RunObserver {
 public:
  struct Options {
    std::string ranks;               // choose_traced_ranks()
    std::int64_t limit = 1'000'000;  // slices, but for those of steps and iterations
    bool messages = false;           // also each message, of its sender; then nothing is folded
  };

  // `open` gives an empty stream that lives until it is called again: once for each begin().
  Timeline(std::function<std::ostream&()> open, Options options)
      : open_(std::move(open)), options_(std::move(options)) {}

  void begin(const Experiment& experiment, const Job& job, const Fold& fold) override;
  bool wants_messages() const override { return options_.messages; }
  void on_span(const Span& span) override;
  // The run has ended; what the trace does not have becomes a notice of the result.
  void end(RunResult& result) override;

 private:
  struct Arrow {
    TrackEventWriter::Flow departs, arrives;
  };
  // Slices that overlap need tracks of their own, which are drawn as one.
  struct Lane {
    TrackEventWriter::Track track;
    Time until;
  };
  struct TracedTracks {
    TrackEventWriter::Track rank;
    StepTrack steps;
    std::map<std::int32_t, std::vector<Lane>> lanes = {};  // by SpanTrack::place
  };

  std::optional<StepTrack::Memory> memory_of(const Experiment& experiment, Rank rank) const;
  void draw(TracedTracks& tracks, const Span& span);
  void draw_steps(TracedTracks& tracks, const Span& span, const OperationPlace& place);
  Arrow arrow_of(const Span& span);
  std::int32_t iteration_of(const Span& span) const;  // from 1
  Lane& lane_for(TracedTracks& tracks, const SpanTrack& track, Time begin);

  std::function<std::ostream&()> open_;
  Options options_;
  const Job* job_ = nullptr;
  Fold fold_;
  std::optional<SpanText> text_;
  Flows flows_;
  std::unique_ptr<TrackEventWriter> writer_;
  std::map<std::int32_t, TracedTracks> ranks_;
  std::string chosen_by_;
  std::int64_t drawn_ = 0, dropped_ = 0;
};

}  // namespace orrery
