// How the scheduler of collectives lets waiting chunks run, queue by queue. As in admission.cc, a
// look costs as much as there are communicators and limits, not tasks. What is called for each
// chunk and from here alone is inline.
#include <algorithm>

#include "system/rank/collective_scheduler.h"

namespace orrery {

// The rank has room for so many of the tasks that others began and it has not.
inline const Task* CollectiveScheduler::next_begun_by_others(const TaskLane& lane,
                                                             std::int64_t room) {
  const Task* best = nullptr;
  for (std::int64_t n = 0; n < room; ++n) {
    ++steps_;
    const RunInfo& run = runs_[lane.order->left_to(lane.member, n)];
    const std::uint32_t call = calls_.instance(run.instance).calls[lane.in_group];
    if (call == kNone) continue;
    const Task* const task = lane.waiting.find(calls_[call].urgency, {call, run.chunk, run.phase});
    if (task == nullptr) continue;
    if (best == nullptr || calls_[call].urgency < calls_[best->call].urgency) best = task;
  }
  return best;
}

// The best of the lane's tasks that may start: any if there is room beyond what others have begun
// and this rank has not, else one of those.
inline const Task* CollectiveScheduler::next_of(const TaskLane& lane) {
  ++steps_;
  const std::int64_t room = lane.limit - lane.running;
  if (room <= 0) return nullptr;
  if (lane.order->reserved_before(lane.member, StartOrder::kNew) < room)
    return &lane.waiting.best();
  return next_begun_by_others(lane, room);
}

// `run`: the task's, or kNone.
inline bool CollectiveScheduler::may_start(const TaskLane& lane, std::uint32_t run) {
  ++steps_;
  const std::int64_t room = lane.limit - lane.running;
  if (room <= 0) return false;
  const std::int64_t number = run == kNone ? StartOrder::kNew : runs_[run].order;
  return lane.order->reserved_before(lane.member, number) < room;
}

inline std::size_t CollectiveScheduler::queue_of(const Task& task) const {
  const Instance& instance = instance_of(calls_[task.call]);
  const auto queues = static_cast<std::uint32_t>(spec_.queues_per_level);
  const std::size_t turn = static_cast<std::uint32_t>(instance.paths[task.chunk].turn) % queues;
  const std::size_t first = turn + (instance.recipe->in_turn ? queue_count() : 0);
  const PhaseRecipe& phase = phase_of(task);
  if (phase.phase.dimension == kWhole)
    return queued_levels() * recipes_.ways() * spec_.queues_per_level + first;
  const auto level = static_cast<std::size_t>(phase.dimension.level) +
                     (phase.dimension.joined ? topology_.levels().size() : 0);
  return (level * recipes_.ways() + way_of(instance, task.chunk, task.phase)) *
             spec_.queues_per_level +
         first;
}

void CollectiveScheduler::enqueue(RankState& state, const Task& task) {
  const std::size_t index = queue_of(task);
  TaskLane& lane = task_lane(state, task, index);
  LevelQueue& queue = state.queues[index];
  const bool late = comes_in_late(task) && run_slot(task, lane.seat) == kNone;
  if (!late && is_full(lane)) {  // the end of a task comes back here
    lane.waiting.add(calls_[task.call].urgency, task);
    return;
  }
  const bool alone = std::all_of(queue.lanes.begin(), queue.lanes.end(),
                                 [](const TaskLane& other) { return other.waiting.empty(); });
  if (alone && !late && may_start(lane, run_slot(task, lane.seat))) {
    start(lane, task, index);
    return;
  }
  if (late && queue.late == nullptr) queue.late = std::make_unique<WaitingTasks>();
  (late ? *queue.late : lane.waiting).add(calls_[task.call].urgency, task);
  fill(state, index);
}

// One task after the other, since each start may change which is next.
void CollectiveScheduler::fill(RankState& state, std::size_t index) {
  std::vector<TaskLane>& lanes = state.queues[index].lanes;
  for (;;) {
    TaskLane* best_lane = nullptr;
    const Task* best = nullptr;
    for (TaskLane& lane : lanes) {
      if (lane.waiting.empty()) continue;
      const Task* const next = next_of(lane);
      if (next == nullptr) continue;
      if (best != nullptr && calls_[best->call].urgency < calls_[next->call].urgency) continue;
      best = next;
      best_lane = &lane;
    }
    if (best == nullptr) return;
    const Task task = *best;
    best_lane->waiting.take(calls_[task.call].urgency, best);
    start(*best_lane, task, index);
    if (lanes.size() == 1 && is_full(lanes.front())) return;
  }
}

CollectiveScheduler::TaskLane& CollectiveScheduler::task_lane(RankState& state, const Task& task,
                                                              std::size_t index) {
  std::vector<TaskLane>& lanes = state.queues[index].lanes;
  const std::uint32_t communicator = communicator_of(task);
  for (TaskLane& lane : lanes)
    if (lane.communicator == communicator) return lane;
  const Call& call = calls_[task.call];
  const std::int32_t in_group = instance_of(call).index_of(call.position);
  lanes.push_back({.communicator = communicator,
                   .limit = index < queue_count() ? spec_.queue_limit : 1,
                   .member = phase_of(task).digit.of(in_group),
                   .in_group = in_group,
                   .seat = seat_of(task),
                   .order = &queue_order(task, index),
                   .waiting = {}});
  return lanes.back();
}

// REQUIRES: a task of the communicator has come to the queue.
CollectiveScheduler::TaskLane& CollectiveScheduler::lane_of(LevelQueue& queue,
                                                            std::uint32_t communicator) {
  std::size_t number = 0;
  while (queue.lanes[number].communicator != communicator) ++number;
  return queue.lanes[number];
}

void CollectiveScheduler::start(TaskLane& lane, const Task& task, std::size_t index) {
  std::uint32_t& run = run_slot(task, lane.seat);
  const bool opens = run == kNone;
  if (opens) run = open_run(task, lane.seat, index);
  runs_[run].order = lane.order->start(lane.member, runs_[run].order, run);
  ++lane.running;
  executor_.start(run, lane.seat.member);
  if (opens && has_root(phase_of(task).phase.kind)) let_others_start(task, lane.seat, index);
}

// Where a run that has begun has a root: the others may have waited for it. A member that joins
// later changes nothing for them (StartOrder counts what was begun).
void CollectiveScheduler::let_others_start(const Task& task, Seat seat, std::size_t index) {
  release_late(task, seat, index);
  if (comes_in_late(task)) return;
  const GroupDimension& dimension = phase_of(task).dimension;
  for (std::int32_t other = 0; other < dimension.size; ++other, ++steps_)
    if (other != seat.member)
      fill(state_of(rank_at(task, seat.first + dimension.offset(other))), index);
}

// The run of a task has begun: those who come in late may take part as soon as they have room.
void CollectiveScheduler::release_late(const Task& task, Seat seat, std::size_t index) {
  const Instance& instance = instance_of(calls_[task.call]);
  const GroupDimension& dimension = phase_of(task).dimension;
  for (std::int32_t member = 0; member < dimension.size; ++member) {
    const Position position = seat.first + dimension.offset(member);
    const std::uint32_t call = instance.calls[instance.index_of(position)];
    if (call == kNone) continue;
    RankState& state = state_of(calls_[call].rank);
    const Task late{call, task.chunk, task.phase};
    WaitingTasks* const waiting = state.queues[index].late.get();
    if (waiting != nullptr && waiting->remove(calls_[call].urgency, late))
      task_lane(state, late, index).waiting.add(calls_[call].urgency, late);
  }
}

StartOrder& CollectiveScheduler::queue_order(const Task& task, std::size_t queue) {
  const auto base = static_cast<std::uint64_t>(rank_at(task, seat_of(task).first));
  const std::uint64_t key = key_in_group(communicator_of(task), base, queue);
  const std::int32_t members = phase_of(task).digit.count;
  return orders_.try_emplace(key, members).first->second;
}

}  // namespace orrery
