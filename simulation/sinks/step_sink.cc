#include "simulation/sinks/step_sink.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "workload/parallelism/transformer_ranks.h"

namespace orrery {

namespace {

StageStep kind_of(OperationPlace::Step step) {
  switch (step) {
    case OperationPlace::Step::forward:
      return StageStep::forward;
    case OperationPlace::Step::backward:
      return StageStep::backward;
    case OperationPlace::Step::input_gradient:
      return StageStep::input_gradient;
    case OperationPlace::Step::weight_gradient:
      return StageStep::weight_gradient;
    case OperationPlace::Step::none:
      break;
  }
  return StageStep::optimizer;
}

}  // namespace

std::string_view name_of(StageStep kind) {
  switch (kind) {
    case StageStep::forward:
      return "forward";
    case StageStep::backward:
      return "backward";
    case StageStep::input_gradient:
      return "input_gradient";
    case StageStep::weight_gradient:
      return "weight_gradient";
    case StageStep::together:
      return "together";
    case StageStep::optimizer:
      break;
  }
  return "optimizer";
}

StepSink::StepSink(const Experiment& experiment, const Job& job, const Fold& fold) : job_(job) {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (transformer == nullptr || transformer->training.pipeline < 2) return;
  const TransformerRanks ranks(transformer->training);
  lane_of_rank_.assign(static_cast<std::size_t>(job.ranks), nobody);
  lanes_.resize(static_cast<std::size_t>(ranks.pipeline));
  for (std::int32_t stage = 0; stage < ranks.pipeline; ++stage)
    lane_of_rank_[static_cast<std::size_t>(fold.representative(stage * ranks.pipeline_stride))] =
        stage;
}

void StepSink::on_span(const Span& span) {
  if (lanes_.empty() || is_of_message(span.kind)) return;
  const std::int32_t stage = lane_of_rank_[static_cast<std::size_t>(span.rank)];
  if (stage == nobody) return;
  if (span.label >= 0 && job_.labels[static_cast<std::size_t>(span.label)].iteration > 0) return;
  Lane& lane = lanes_[static_cast<std::size_t>(stage)];
  if (span.kind == SpanKind::exposed) lane.waited += span.end - span.begin;
  if (span.kind == SpanKind::compute) computed(lane, span);
}

void StepSink::computed(Lane& lane, const Span& span) {
  const OperationPlace place = job_.operations->place_of(span.rank, span.operation);
  const Duration waited = std::exchange(lane.waited, Duration{});
  if (!lane.steps.empty() && place.group == lane.group) {
    StepRow& open = lane.steps.back();
    if (open.kind != kind_of(place.step)) open.kind = StageStep::together;
    open.exposed += waited;
    open.end = span.end.since_start;
    return;
  }
  lane.group = place.group;
  if (lane.steps.size() == most_rows) return;
  lane.steps.push_back({.stage = static_cast<std::int32_t>(&lane - lanes_.data()),
                        .rank = span.rank,
                        .kind = kind_of(place.step),
                        .micro_batch = place.micro_batch,
                        .chunk = place.chunk,
                        .begin = span.begin.since_start,
                        .end = span.end.since_start,
                        .exposed = {}});
}

std::vector<StepRow> StepSink::rows() const {
  std::vector<StepRow> rows;
  for (const Lane& lane : lanes_) rows.insert(rows.end(), lane.steps.begin(), lane.steps.end());
  if (rows.size() <= most_rows) return rows;
  std::vector<Duration> begins;
  begins.reserve(rows.size());
  for (const StepRow& row : rows) begins.push_back(row.begin);
  std::ranges::nth_element(begins, begins.begin() + most_rows);
  std::erase_if(rows, [&](const StepRow& row) { return row.begin >= begins[most_rows]; });
  return rows;
}

}  // namespace orrery
