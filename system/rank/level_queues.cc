// How the scheduler of collectives lets waiting chunks run, queue by queue. As in admission.cc, a
// look costs as much as there are communicators and limits, not tasks.
#include <algorithm>

#include "system/rank/collective_scheduler.h"

namespace orrery {

void CollectiveScheduler::enqueue(Rank rank, const Task& task) {
  const std::size_t index = queue_of(task);
  TaskLane& lane = task_lane(rank, task, index);
  LevelQueue& queue = state_of(rank).queues[index];
  const bool late = comes_in_late(task) && run_slot(task) == kNone;
  const bool alone = std::all_of(queue.lanes.begin(), queue.lanes.end(),
                                 [](const TaskLane& other) { return other.waiting.empty(); });
  if (alone && !late && may_start(lane, task)) {
    start(rank, task, index);
    return;
  }
  const WaitingTask waiting{calls_[task.call].urgency, arrivals_++, task};
  (late ? queue.late : lane.waiting).insert(waiting);
  fill(rank, index);
}

bool CollectiveScheduler::may_start(const TaskLane& lane, const Task& task) {
  ++steps_;
  const std::int64_t room = spec_.queue_limit - lane.running;
  if (room <= 0) return false;
  const std::uint32_t run = run_slot(task);
  const std::int64_t number = run == kNone ? StartOrder::kNew : runs_[run].order;
  return lane.order->reserved_before(index_of_member(task), number) < room;
}

// One task after the other, since each start may change which is next.
void CollectiveScheduler::fill(Rank rank, std::size_t index) {
  for (;;) {
    TaskLane* best_lane = nullptr;
    const WaitingTask* best = nullptr;
    for (TaskLane& lane : state_of(rank).queues[index].lanes) {
      if (lane.waiting.empty()) continue;
      const WaitingTask* const next = next_of(lane);
      if (next == nullptr || (best != nullptr && *best < *next)) continue;
      best = next;
      best_lane = &lane;
    }
    if (best == nullptr) return;
    const WaitingTask next = *best;
    best_lane->waiting.erase(next);
    start(rank, next.task, index);
  }
}

// The best of the lane's tasks that may start: any if there is room beyond what others have begun
// and this rank has not, else one of those.
const CollectiveScheduler::WaitingTask* CollectiveScheduler::next_of(const TaskLane& lane) {
  ++steps_;
  const std::int64_t room = spec_.queue_limit - lane.running;
  if (room <= 0) return nullptr;
  const WaitingTask& first = *lane.waiting.begin();
  const std::int32_t member = index_of_member(first.task);
  if (lane.order->reserved_before(member, StartOrder::kNew) < room) return &first;
  const Call& call = calls_[first.task.call];
  const std::int32_t in_group = instance_of(call).index_of(call.position);
  const WaitingTask* best = nullptr;
  for (std::int64_t n = 0; n < room; ++n) {
    ++steps_;
    const RunInfo& run = runs_[lane.order->left_to(member, n)];
    const std::uint32_t id = calls_.instance(run.instance).calls[in_group];
    if (id == kNone) continue;
    const WaitingTask* const task = find_waiting(lane.waiting, id, run.chunk, run.phase);
    if (task != nullptr && (best == nullptr || *task < *best)) best = task;
  }
  return best;
}

const CollectiveScheduler::WaitingTask* CollectiveScheduler::find_waiting(
    const std::set<WaitingTask>& tasks, std::uint32_t call, std::int32_t chunk,
    std::int32_t phase) const {
  const Urgency urgency = calls_[call].urgency;
  for (auto it = tasks.lower_bound({urgency, 0, {}}); it != tasks.end(); ++it) {
    if (it->urgency != urgency) break;
    if (it->task.chunk == chunk && it->task.phase == phase) return &*it;
  }
  return nullptr;
}

CollectiveScheduler::TaskLane& CollectiveScheduler::task_lane(Rank rank, const Task& task,
                                                              std::size_t index) {
  std::vector<TaskLane>& lanes = state_of(rank).queues[index].lanes;
  const std::uint32_t communicator = communicator_of(task);
  for (TaskLane& lane : lanes)
    if (lane.communicator == communicator) return lane;
  lanes.push_back({communicator, 0, &queue_order(task, index), {}});
  return lanes.back();
}

void CollectiveScheduler::start(Rank rank, const Task& task, std::size_t index) {
  const bool opens = run_slot(task) == kNone;
  if (opens) run_slot(task) = open_run(task);
  const std::uint32_t run = run_slot(task);
  const auto [member, first] = seat_of(task);
  TaskLane& lane = task_lane(rank, task, index);
  runs_[run].order = lane.order->start(index_of_member(task), runs_[run].order, run);
  ++lane.running;
  executor_.start(run, member);
  if (!has_root(phase_of(task).phase.kind)) return;
  if (opens) release_late(task, index);
  if (comes_in_late(task)) return;
  const GroupDimension& dimension = phase_of(task).dimension;  // the others may wait for it
  for (std::int32_t other = 0; other < dimension.size; ++other)
    if (other != member) fill(rank_at(task, first + other * dimension.stride), index);
}

// The run of a task has begun: those who come in late may take part as soon as they have room.
void CollectiveScheduler::release_late(const Task& task, std::size_t index) {
  const Instance& instance = instance_of(calls_[task.call]);
  const GroupDimension& dimension = phase_of(task).dimension;
  const Position first = seat_of(task).first;
  for (std::int32_t member = 0; member < dimension.size; ++member) {
    const Position position = first + member * dimension.stride;
    const std::uint32_t id = instance.calls[instance.index_of(position)];
    if (id == kNone) continue;
    LevelQueue& queue = state_of(calls_[id].rank).queues[index];
    const WaitingTask* const late = find_waiting(queue.late, id, task.chunk, task.phase);
    if (late == nullptr) continue;
    TaskLane& lane = task_lane(calls_[id].rank, late->task, index);
    lane.waiting.insert(queue.late.extract(*late));
  }
}

StartOrder& CollectiveScheduler::queue_order(const Task& task, std::size_t queue) {
  const auto base = static_cast<std::uint64_t>(rank_at(task, seat_of(task).first));
  const std::uint64_t key = key_in_group(communicator_of(task), base, queue);
  const std::int32_t members = phase_of(task).digit.count;
  return orders_.try_emplace(key, members).first->second;
}

}  // namespace orrery
