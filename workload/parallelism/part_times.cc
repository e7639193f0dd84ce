#include "workload/parallelism/part_times.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "workload/parallelism/busy_ports.h"
#include "workload/parallelism/stage_writer.h"
#include "workload/parallelism/taken_time.h"
#include "workload/parallelism/turns.h"

namespace orrery {

namespace {

Group group_of(PartGroup group) {
  switch (group) {
    case PartGroup::tensor:
      return Group::tensor;
    case PartGroup::context:
      return Group::context;
    case PartGroup::context_inner:
      return Group::context_inner;
    case PartGroup::expert:
      return Group::expert;
    case PartGroup::expert_tensor:
      return Group::expert_tensor;
    case PartGroup::expert_all:
      return Group::expert_all;
    case PartGroup::expert_node:
      return Group::expert_node;
    case PartGroup::expert_rail:
      return Group::expert_rail;
  }
  CHECK(false, "a group without a name");
}

// Plays the steps of one pass, or of two in turns.
class PartClock {
 public:
  PartClock(const ComputeModel& compute, ExchangeTimes& exchanges, const Groups& groups,
            const TransformerTraining& training)
      : compute_(compute), exchanges_(exchanges), groups_(groups), training_(training) {}

  PassTime play(const std::vector<PartStep>& steps) {
    time_ = {};
    ends_.clear();
    free_.clear();
    taken_ = {};
    for (const PartStep& step : steps) play(step);
    return time_;
  }

  // REQUIRES: before the first step.
  void share_ports() { ports_.emplace(static_cast<std::size_t>(Group::pipeline_ends) + 1); }
  const PassTime& time() const { return time_; }

  // Handles of different passes differ by `pass`.
  void play(const PartStep& step, std::int32_t pass = 0) {
    if (const auto* compute = std::get_if<Compute>(&step.what)) {
      Duration time = compute_.time_of(*compute);
      time += taken_.longer(time_.whole, time, time);
      time_ += {time, time, {}};
    } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
      const Group group = group_of(exchange->group);
      const Communicator& communicator = groups_.communicator(group);
      const PortUse& use = exchanges_.collective(communicator, exchange->kind, exchange->size);
      take_turn(group, {pass, exchange->handle}, use);
      time_.at_ports += use.at_ports;
      taken_.begins(time_.whole, free_[group], exchanges_.taken(communicator, exchange->size));
    } else if (const auto* shift = std::get_if<PartStep::Shift>(&step.what)) {
      const bool tensor = shift->group == PartGroup::tensor;
      const Rank next = tensor ? 1 : training_.tensor * training_.context_inner;
      const std::int32_t ranks =
          tensor ? training_.tensor : training_.context / training_.context_inner;
      take_turn(group_of(shift->group), {pass, shift->handle},
                {exchanges_.shift(next, ranks, shift->size).arrival, {}});
    } else {
      const Handle handle{pass, std::get<PartStep::Await>(step.what).handle};
      time_.whole =
          std::max(time_.whole, ports_ ? ports_->end_of(numbers_.at(handle)) : ends_.at(handle));
    }
  }

 private:
  using Handle = std::pair<std::int32_t, std::int32_t>;

  void take_turn(Group group, Handle handle, const PortUse& use) {
    Duration& free = free_[group];
    free = std::max(free, time_.whole) + use.time;
    if (ports_)
      numbers_[handle] = ports_->begin(static_cast<std::size_t>(group), use, time_.whole);
    else
      ends_[handle] = free;
  }

  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  const Groups& groups_;
  const TransformerTraining& training_;
  PassTime time_;
  TakenTime taken_;
  std::map<Handle, Duration> ends_;  // if exchanges do not share ports
  std::map<Group, Duration>
      free_;  // when the exchanges so far are done, if nothing slows them down
  std::optional<BusyPorts> ports_;
  std::map<Handle, std::size_t> numbers_;  // in `ports_`
};

// One of two passes that a clock plays in turns.
class PlayedInTurns final : public PassInTurns {
 public:
  using Steps = std::map<std::pair<TransformerPart, bool>, StagePartSteps>;

  // REQUIRES: `steps` has those of all parts.
  PlayedInTurns(PartClock& clock, const PassOfChunk& pass, const Steps& steps, std::int32_t number,
                bool experts_travel)
      : PassInTurns(experts_travel), clock_(clock), number_(number) {
    for (const StagePart& part : pass.parts)
      steps_.push_back(&steps.at({part.part, part.recomputed}).of(pass.kind));
    if (pass.kind != PipelineStep::Kind::forward) std::ranges::reverse(steps_);
  }

 private:
  std::size_t parts() const override { return steps_.size(); }
  const std::vector<PartStep>& steps(std::size_t part) const override { return *steps_[part]; }
  void begin_part(std::size_t) override {}
  void write(std::size_t, const PartStep& step) override { clock_.play(step, number_); }
  void end_part(std::size_t) override {}

  PartClock& clock_;
  std::int32_t number_;
  std::vector<const std::vector<PartStep>*> steps_;
};

}  // namespace

PartTimer::Key PartTimer::key_of(TransformerPart part, const TransformerShard& shard) {
  return {part,
          shard.recompute,
          shard.tensor,
          shard.sequence_parallel,
          shard.overlap_tensor,
          shard.micro_batch,
          shard.context,
          shard.experts.parallel,
          shard.experts.overlap_shared,
          shard.sums_gradients};
}

const PartTimes& PartTimer::of(TransformerPart part, bool recomputed,
                               const TransformerTraining& training, const Groups& groups) {
  const auto [found, is_new] = known_.try_emplace(key_of(part, shard_of(training, recomputed)));
  PartTimes& times = found->second;
  if (!is_new) return times;
  PartClock clock(compute_, exchanges_, groups, training);
  const StagePartSteps steps = steps_of(part, recomputed, {model_, training});
  const auto play = [&](PipelineStep::Kind kind) { return clock.play(steps.of(kind)); };
  times = {play(PipelineStep::Kind::forward), play(PipelineStep::Kind::backward),
           play(PipelineStep::Kind::input_gradient), play(PipelineStep::Kind::weight_gradient)};
  return times;
}

const PassTime& PartTimer::together(const PassOfChunk& first, const PassOfChunk& second,
                                    const TransformerTraining& training, const Groups& groups) {
  std::vector<std::int32_t> both;
  for (const PassOfChunk* pass : {&first, &second}) {
    both.push_back(-1 - static_cast<std::int32_t>(pass->kind));
    for (const StagePart& part : pass->parts)
      both.push_back(2 * static_cast<std::int32_t>(part.part) + (part.recomputed ? 1 : 0));
  }
  const Key key = key_of(TransformerPart::embedding, shard_of(training, true));
  const auto [found, is_new] = together_.try_emplace({key, std::move(both)});
  if (!is_new) return found->second;
  PlayedInTurns::Steps steps;
  for (const PassOfChunk* pass : {&first, &second})
    for (const StagePart& part : pass->parts)
      if (const std::pair one{part.part, part.recomputed}; !steps.contains(one))
        steps[one] = steps_of(part.part, part.recomputed, {model_, training});
  PartClock clock(compute_, exchanges_, groups, training);
  clock.share_ports();
  const bool experts_travel = training.experts.parallel > 1;
  PlayedInTurns begins(clock, first, steps, 0, experts_travel);
  PlayedInTurns follows(clock, second, steps, 1, experts_travel);
  write_in_turns(begins, follows);
  return found->second = clock.time();
}

}  // namespace orrery
