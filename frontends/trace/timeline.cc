#include "frontends/trace/timeline.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace orrery {

namespace {

std::string_view category_of(const Span& span) {
  if (span.kind == SpanKind::compute) return "compute";
  if (span.kind == SpanKind::exposed) return "exposed";
  if (span.detail == kDetailSend || span.detail == kDetailReceive) return "point_to_point";
  return "collective";
}

}  // namespace

void Timeline::begin(const Experiment& experiment, const Job& job, const Fold& fold) {
  RankChoice choice = choose_traced_ranks(options_.ranks, experiment, fold, job.ranks);
  job_ = &job;
  text_.emplace(job);
  writer_ = std::make_unique<TrackEventWriter>(open_());
  chosen_by_ = std::move(choice.by);
  stands_for_ = fold.multiplicity();
  drawn_ = dropped_ = 0;
  ranks_.clear();
  for (const TracedRank& traced : choice.ranks)
    ranks_[traced.rank].rank =
        writer_->add_track(traced.name, TrackEventWriter::no_parent, traced.rank);
}

void Timeline::on_span(const Span& span) {
  if (is_of_message(span.kind)) return;
  const auto traced = ranks_.find(span.rank);
  if (traced == ranks_.end()) return;
  if (drawn_ == options_.limit) {
    ++dropped_;
    return;
  }
  ++drawn_;
  draw(traced->second, span);
}

void Timeline::draw(TracedTracks& tracks, const Span& span) {
  const OperationPlace place = job_->operations->place_of(span.rank, span.operation);
  const std::array<TrackEventWriter::Argument, 5> arguments = {{
      {"begin_ps", span.begin.since_start.value},
      {"duration_ps", (span.end - span.begin).value},
      {"operation", span.operation},
      {"iteration", span.label < 0 ? 1 : job_->labels[span.label].iteration + 1},
      {"bytes", span.size.value},
  }};
  const std::size_t count = span.kind == SpanKind::collective ? 5 : 4;
  Lane& lane = lane_for(tracks, text_->track_of(span), span.begin);
  writer_->begin_slice(lane.track, span.begin, category_of(span), text_->name_of(span, place),
                       std::span(arguments).first(count));
  writer_->end_slice(lane.track, span.end);
  lane.until = span.end;
}

// Of those that are free, the one that was in use last: spans come in the order in which they end,
// and this choice needs the fewest lanes.
Timeline::Lane& Timeline::lane_for(TracedTracks& tracks, const SpanTrack& track, Time begin) {
  std::vector<Lane>& lanes = tracks.lanes[track.place];
  Lane* chosen = nullptr;
  for (Lane& lane : lanes)
    if (lane.until <= begin && (chosen == nullptr || lane.until > chosen->until)) chosen = &lane;
  if (chosen != nullptr) return *chosen;
  return lanes.emplace_back(Lane{writer_->add_track(track.name, tracks.rank, track.place), Time{}});
}

void Timeline::end(RunResult& result) {
  const std::int64_t seen = static_cast<std::int64_t>(ranks_.size()) * stands_for_;
  if (!chosen_by_.empty() && seen < job_->ranks)
    result.notices.push_back(
        fmt::format("the trace has {} of {} ranks, {}: --trace-ranks takes a list, or all",
                    ranks_.size(), job_->ranks, chosen_by_));
  if (dropped_ > 0)
    result.notices.push_back(
        fmt::format("the trace has the first {} of {} slices: --trace-limit takes more, "
                    "--trace-ranks fewer ranks",
                    drawn_, drawn_ + dropped_));
}

}  // namespace orrery
