// How schedule_estimate.h plays the stages of a pipeline.
#include "workload/schedule_estimate.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "workload/few_batches.h"
#include "workload/parallelism/part_times.h"
#include "workload/parallelism/stage_clock.h"
#include "workload/parallelism/stage_writer.h"

namespace orrery {

namespace {

using Kind = PipelineStep::Kind;
using Place = ChunkPlacement::Place;

// When the input of a pass through a part of the model arrives, for each micro-batch.
class Arrivals {
 public:
  Arrivals(std::int32_t parts, std::int32_t micro_batches)
      : micro_batches_(micro_batches),
        times_(static_cast<std::size_t>(parts) * static_cast<std::size_t>(micro_batches), unknown) {
  }

  void set(std::int32_t part, std::int32_t micro_batch, Duration time) {
    times_[index(part, micro_batch)] = time;
  }
  // Nothing as long as it has not been sent.
  std::optional<Duration> find(std::int32_t part, std::int32_t micro_batch) const {
    const Duration time = times_[index(part, micro_batch)];
    return time == unknown ? std::nullopt : std::optional(time);
  }

 private:
  static constexpr Duration unknown{-1};

  std::size_t index(std::int32_t part, std::int32_t micro_batch) const {
    return static_cast<std::size_t>(part) * static_cast<std::size_t>(micro_batches_) +
           static_cast<std::size_t>(micro_batch);
  }

  std::int32_t micro_batches_;
  std::vector<Duration> times_;
};

// A stage with the order of its work, and what it sends.
struct PlayedStage {
  PlayedStage(const TransformerWorkload& workload, std::int32_t stage, const Groups& groups,
              PartTimer& parts, ExchangeTimes& exchanges)
      : clock(workload, stage, groups, parts, exchanges),
        steps(
            pipeline_steps(workload.training.schedule, pipeline_shape(workload.training), stage)) {}

  StageClock clock;
  std::vector<PipelineStep> steps;
  std::size_t next = 0;
  Duration port_free, sent;  // when all it has sent has left
  bool waiting = false;      // to be played, in the list of such stages
};

class PlayedPipeline {
 public:
  PlayedPipeline(const TransformerWorkload& workload, PartTimer& parts, const ComputeModel& compute,
                 ExchangeTimes& exchanges);

  Duration iteration();

 private:
  // Steps that are done together are one turn.
  std::int32_t turn_length(const PlayedStage& stage) const {
    return stage.steps[stage.next].with_next ? 2 : 1;
  }
  void play(std::int32_t number);
  std::optional<Duration> input_of(std::int32_t stage, const PipelineStep& step) const;
  void pass_on(std::int32_t stage, const PipelineStep& step);
  void deliver(std::int32_t from, const Place& to, bool forward, std::int32_t micro_batch);
  void finish_gradients();
  void sum_embedding();

  const TransformerWorkload& workload_;
  const TransformerTraining& training_;
  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  TransformerRanks ranks_;
  ChunkPlacement placement_;
  Groups groups_;
  std::deque<PlayedStage> stages_;  // a clock stays where it is
  Arrivals activations_, gradients_;
  std::deque<std::int32_t> to_play_;
  ExchangeTimes::Message hop_{};
  Duration gathering_;  // of what tensor-parallel ranks received in parts
};

PlayedPipeline::PlayedPipeline(const TransformerWorkload& workload, PartTimer& parts,
                               const ComputeModel& compute, ExchangeTimes& exchanges)
    : workload_(workload),
      training_(workload.training),
      compute_(compute),
      exchanges_(exchanges),
      ranks_(training_),
      placement_(training_.schedule, pipeline_shape(training_)),
      groups_(workload),
      activations_(placement_.parts(), training_.micro_batches()),
      gradients_(placement_.parts(), training_.micro_batches()) {
  for (std::int32_t stage = 0; stage < training_.pipeline; ++stage)
    stages_.emplace_back(workload, stage, groups_, parts, exchanges);
  if (training_.pipeline > 1)
    hop_ = exchanges.message(ranks_.pipeline_stride, boundary_of(workload));
  if (training_.scatter_gather)
    gathering_ = exchanges
                     .collective(groups_.communicator(Group::tensor), Collective::all_gather,
                                 boundary_of(workload) * training_.tensor)
                     .time;
}

std::optional<Duration> PlayedPipeline::input_of(std::int32_t stage,
                                                 const PipelineStep& step) const {
  const Place place{stage, step.chunk};
  if (step.kind == Kind::weight_gradient) return Duration{};
  const bool forward = step.kind == Kind::forward;
  if (!(forward ? placement_.before(place) : placement_.after(place))) return Duration{};
  return (forward ? activations_ : gradients_).find(placement_.part(place), step.micro_batch);
}

void PlayedPipeline::pass_on(std::int32_t stage, const PipelineStep& step) {
  if (step.kind == Kind::weight_gradient) return;
  const Place place{stage, step.chunk};
  const bool forward = step.kind == Kind::forward;
  if (const auto to = forward ? placement_.after(place) : placement_.before(place))
    deliver(stage, *to, forward, step.micro_batch);
}

void PlayedPipeline::deliver(std::int32_t from, const Place& to, bool forward,
                             std::int32_t micro_batch) {
  PlayedStage& sender = stages_[from];
  Duration arrival = sender.clock.now();
  if (to.stage != from) {
    const Duration leaves = std::max(sender.port_free, sender.clock.now());
    sender.port_free = leaves + hop_.sending;
    if (!training_.overlaps_p2p()) sender.sent = sender.port_free;
    arrival = leaves + hop_.arrival + gathering_;
  }
  (forward ? activations_ : gradients_).set(placement_.part(to), micro_batch, arrival);
  PlayedStage& receiver = stages_[to.stage];
  if (receiver.waiting || to.stage == from) return;
  receiver.waiting = true;
  to_play_.push_back(to.stage);
}

// As far as what others have sent so far lets it.
void PlayedPipeline::play(std::int32_t number) {
  PlayedStage& stage = stages_[number];
  stage.waiting = false;
  while (stage.next < stage.steps.size()) {
    const std::int32_t length = turn_length(stage);
    Duration begin;
    for (std::int32_t i = 0; i < length; ++i) {
      const auto input = input_of(number, stage.steps[stage.next + i]);
      if (!input) return;
      begin = std::max(begin, *input);
    }
    stage.clock.wait_until(std::max(begin, stage.sent));
    const PipelineStep* steps = &stage.steps[stage.next];
    if (length == 2)
      stage.clock.passes_together(steps[0], steps[1]);
    else
      stage.clock.pass(steps[0]);
    for (std::int32_t i = 0; i < length; ++i) pass_on(number, steps[i]);
    stage.next += length;
  }
}

// The gradients of the embedding, which the first and the last stage both have.
void PlayedPipeline::sum_embedding() {
  if (!joins_ends(workload_) || workload_.training.lora.freezes()) return;
  StageClock &first = stages_.front().clock, &last = stages_.back().clock;
  const TransformerSpec& model = workload_.model;
  const Bytes matrix =
      model.gradient_element * (model.vocabulary * model.hidden / training_.tensor);
  const Rank distance = ranks_.pipeline_stride * (training_.pipeline - 1);
  const Duration half = exchanges_.message(distance, Bytes{(matrix.value + 1) / 2}).arrival;
  const Duration end = std::max(first.now(), last.now()) + half * 2;
  first.wait_until(end);
  last.wait_until(end);
}

void PlayedPipeline::finish_gradients() {
  for (PlayedStage& stage : stages_) {
    stage.clock.wait_until(stage.sent);
    stage.clock.finish_gradients();
  }
  sum_embedding();
  if (training_.post_validation || ranks_.count() == 1) return;
  Duration all;
  for (const PlayedStage& stage : stages_) all = std::max(all, stage.clock.now());
  all += exchanges_.collective(groups_.communicator(Group::world), Collective::all_reduce, Bytes{4})
             .time;
  for (PlayedStage& stage : stages_) stage.clock.wait_until(all);
}

Duration PlayedPipeline::iteration() {
  for (std::int32_t stage = 0; stage < training_.pipeline; ++stage) {
    stages_[stage].clock.begin_iteration();
    stages_[stage].waiting = true;
    to_play_.push_back(stage);
  }
  while (!to_play_.empty()) {
    const std::int32_t stage = to_play_.front();
    to_play_.pop_front();
    play(stage);
  }
  for (const PlayedStage& stage : stages_)
    CHECK(stage.next == stage.steps.size(), "a stage has done {} of {} steps", stage.next,
          stage.steps.size());
  finish_gradients();
  Duration end;
  for (PlayedStage& stage : stages_) {
    stage.clock.update(compute_);
    end = std::max(end, stage.clock.now());
  }
  return end;
}

}  // namespace

ScheduleEstimator::ScheduleEstimator(const TransformerSpec& model, const ComputeModel& compute,
                                     ExchangeTimes& exchanges)
    : model_(model),
      compute_(compute),
      exchanges_(exchanges),
      parts_(std::make_unique<PartTimer>(model, compute, exchanges)) {}

ScheduleEstimator::~ScheduleEstimator() = default;

Duration ScheduleEstimator::iteration(const TransformerTraining& training) {
  const auto played = [&](std::int64_t micro_batches) {
    TransformerWorkload workload{model_, training};
    set_micro_batches(workload.training, micro_batches);
    return PlayedPipeline(workload, *parts_, compute_, exchanges_).iteration();
  };
  const std::int64_t all = training.micro_batches(), period = period_of(training);
  constexpr std::int64_t slowly = 128;  // a queue that grows takes a while to hold up another stage
  const std::int64_t differ = std::max<std::int64_t>(slowly, training.deferral_limit) / period + 1;
  const std::int64_t filled = all % period + differ * period;
  const std::int64_t repeats = (all - filled) / period;
  if (repeats < 2) return played(all);
  const Duration before = played(filled), after = played(filled + period);
  return after + (after - before) * (repeats - 1);
}

}  // namespace orrery
