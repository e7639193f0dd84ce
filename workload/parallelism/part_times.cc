#include "workload/parallelism/part_times.h"

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "workload/parallelism/stage_writer.h"
#include "workload/parallelism/taken_time.h"

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

// Plays the steps of one pass.
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

 private:
  void play(const PartStep& step) {
    if (const auto* compute = std::get_if<Compute>(&step.what)) {
      Duration time = compute_.time_of(*compute);
      time += taken_.longer(time_.whole, time, time);
      time_ += {time, time, {}};
    } else if (const auto* exchange = std::get_if<PartStep::Exchange>(&step.what)) {
      const Group group = group_of(exchange->group);
      const Communicator& communicator = groups_.communicator(group);
      const PortUse& use = exchanges_.collective(communicator, exchange->kind, exchange->size);
      take_turn(group, exchange->handle, use.time);
      time_.at_ports += use.at_ports;
      taken_.begins(time_.whole, free_[group], exchanges_.taken(communicator, exchange->size));
    } else if (const auto* shift = std::get_if<PartStep::Shift>(&step.what)) {
      const bool tensor = shift->group == PartGroup::tensor;
      const Rank next = tensor ? 1 : training_.tensor * training_.context_inner;
      const std::int32_t ranks =
          tensor ? training_.tensor : training_.context / training_.context_inner;
      take_turn(group_of(shift->group), shift->handle,
                exchanges_.shift(next, ranks, shift->size).arrival);
    } else {
      const std::int32_t handle = std::get<PartStep::Await>(step.what).handle;
      time_.whole = std::max(time_.whole, ends_.at(handle));
    }
  }

  void take_turn(Group group, std::int32_t handle, Duration time) {
    Duration& free = free_[group];
    ends_[handle] = free = std::max(free, time_.whole) + time;
  }

  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  const Groups& groups_;
  const TransformerTraining& training_;
  PassTime time_;
  TakenTime taken_;
  std::map<std::int32_t, Duration> ends_;  // by handle
  std::map<Group, Duration> free_;         // when the exchanges so far are done
};

}  // namespace

const PartTimes& PartTimer::of(TransformerPart part, bool recomputed,
                               const TransformerTraining& training, const Groups& groups) {
  TransformerShard shard = shard_of(training, recomputed);
  const Key key{part,
                shard.recompute,
                shard.tensor,
                shard.sequence_parallel,
                shard.overlap_tensor,
                shard.micro_batch,
                shard.context,
                shard.experts.parallel,
                shard.experts.overlap_shared,
                shard.sums_gradients};
  const auto [found, is_new] = known_.try_emplace(key);
  PartTimes& times = found->second;
  if (!is_new) return times;
  PartClock clock(compute_, exchanges_, groups, training);
  const PartSteps whole = transformer_part(part, model_, shard);
  shard.split_backward = true;
  const PartSteps split = transformer_part(part, model_, shard);
  times = {clock.play(whole.forward), clock.play(whole.backward), clock.play(split.backward),
           clock.play(split.weight_gradient)};
  return times;
}

}  // namespace orrery
