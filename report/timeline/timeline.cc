#include "report/timeline/timeline.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "report/timeline/result_counters.h"
#include "report/timeline/traced_ranks.h"
#include "workload/memory/stage_memory.h"
#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

namespace {

std::string_view category_of(const Span& span) {
  if (is_of_message(span.kind)) return "message";
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
  fold_ = fold;
  flows_ = Flows();
  drawn_ = dropped_ = 0;
  ranks_.clear();
  for (const TracedRank& traced : choice.ranks) {
    const TrackEventWriter::Track track =
        writer_->add_track(traced.name, TrackEventWriter::no_parent, traced.rank);
    ranks_.try_emplace(
        traced.rank,
        TracedTracks{track, StepTrack(*writer_, track, memory_of(experiment, traced.rank))});
  }
}

std::optional<StepTrack::Memory> Timeline::memory_of(const Experiment& experiment,
                                                     Rank rank) const {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (transformer == nullptr) return std::nullopt;
  const std::int32_t stage = TransformerRanks(transformer->training).stage_of(rank);
  return StepTrack::Memory{stage_memory(*transformer, stage).fixed(),
                           activations_of_chunks(*transformer, stage)};
}

void Timeline::on_span(const Span& span) {
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
  const bool is_message = is_of_message(span.kind);
  const OperationPlace place =
      is_message ? OperationPlace{} : job_->operations->place_of(span.rank, span.operation);
  const std::array<TrackEventWriter::Argument, 5> arguments = {{
      {"begin_ps", span.begin.since_start.value},
      {"duration_ps", (span.end - span.begin).value},
      {is_message ? "other_rank" : "operation", span.operation},
      {"iteration", iteration_of(span)},
      {"bytes", span.size.value},
  }};
  const std::size_t count = is_message || span.kind == SpanKind::collective ? 5 : 4;
  draw_steps(tracks, span, place);
  const Arrow arrow = arrow_of(span);
  Lane& lane = lane_for(tracks, text_->track_of(span), span.begin);
  writer_->begin_slice(lane.track, span.begin, category_of(span), text_->name_of(span, place),
                       std::span(arguments).first(count), arrow.departs);
  writer_->end_slice(lane.track, span.end, arrow.arrives);
  lane.until = span.end;
}

void Timeline::draw_steps(TracedTracks& tracks, const Span& span, const OperationPlace& place) {
  if (span.kind == SpanKind::compute)
    tracks.steps.computed(span, place, iteration_of(span));
  else if (span.kind == SpanKind::exposed)
    tracks.steps.waited(span);
}

// Only between ranks that are traced.
Timeline::Arrow Timeline::arrow_of(const Span& span) {
  if (span.kind != SpanKind::collective) return {};
  if (span.detail != kDetailSend && span.detail != kDetailReceive) return {};
  const auto operation = job_->operations->find(span.rank, span.operation);
  if (!operation) return {};
  if (const auto* send = std::get_if<SendCall>(&operation->what)) {
    const Rank to = fold_.representative(send->to);
    if (ranks_.contains(to)) return {flows_.departs(span.rank, to, send->tag), {}};
  }
  if (const auto* receive = std::get_if<ReceiveCall>(&operation->what)) {
    const Rank from = fold_.representative(receive->from);
    if (ranks_.contains(from)) return {{}, flows_.arrives(from, span.rank, receive->tag)};
  }
  return {};
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

std::int32_t Timeline::iteration_of(const Span& span) const {
  return span.label < 0 ? 1 : job_->labels[static_cast<std::size_t>(span.label)].iteration + 1;
}

void Timeline::end(RunResult& result) {
  for (auto& [rank, tracks] : ranks_) tracks.steps.close();
  write_counters(*writer_, result);
  if (result.partial) {
    const TrackEventWriter::Track mark =
        writer_->add_counter("PARTIAL RESULT: " + result.partial_reason,
                             TrackEventWriter::no_parent, 0, TrackEventWriter::Unit::none);
    writer_->set_counter(mark, Time{}, std::int64_t{1});
  }
  const std::int64_t seen = static_cast<std::int64_t>(ranks_.size()) * fold_.multiplicity();
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
