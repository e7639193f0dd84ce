// What the scheduler of collectives does when nothing is left to happen: lets one chunk begin
// beyond its limit, or says who is waited for.
#include <fmt/format.h>

#include <compare>
#include <limits>
#include <optional>

#include "system/rank/collective_scheduler.h"

namespace orrery {

bool CollectiveScheduler::start_beyond_limit() {
  struct Waiting {
    bool alone;            // nobody has begun it: nobody waits for it yet
    std::uint64_t number;  // of the call in its group
    std::int32_t chunk, phase;
    Rank rank;
    std::size_t queue;  // kReady: a chunk to be admitted
    Urgency urgency;
    std::size_t place;  // among the tasks of the call there
    std::uint32_t call;
    auto operator<=>(const Waiting&) const = default;
  };
  constexpr std::size_t kReady = std::numeric_limits<std::size_t>::max();
  std::optional<Waiting> first;
  const auto consider = [&](const Waiting& waiting) {
    if (!first || waiting < *first) first = waiting;
  };
  for (std::int32_t index = 0; index < static_cast<std::int32_t>(ranks_.size()); ++index) {
    const Rank rank = fold_.representative_at(index);
    const RankState& state = ranks_[index];
    for (const ReadyLane& lane : state.ready)
      for (const auto& [urgency, id] : lane.calls) {
        const Call& call = calls_[id];
        const Instance& instance = instance_of(call);
        consider({instance.admissions[call.next_chunk] == StartOrder::kNew,
                  instance.key & 0xFFFFFFFF, call.next_chunk, 0, rank, kReady, urgency, 0, id});
      }
    for (std::size_t queue = 0; queue < state.queues.size(); ++queue) {
      const auto consider_task = [&](Urgency urgency, std::size_t place, const Task& task) {
        consider({run_slot(task, seat_of(task)) == kNone,
                  instance_of(calls_[task.call]).key & 0xFFFFFFFF, task.chunk, task.phase, rank,
                  queue, urgency, place, task.call});
      };
      for (const TaskLane& lane : state.queues[queue].lanes) lane.waiting.for_each(consider_task);
      if (state.queues[queue].late != nullptr) state.queues[queue].late->for_each(consider_task);
    }
  }
  if (!first) return false;
  ++started_beyond_limit_;
  RankState& state = state_of(first->rank);
  if (first->queue == kReady) {
    admit_chunk(state, first->call);
    return true;
  }
  const Task task{first->call, first->chunk, first->phase};
  TaskLane& lane = task_lane(state, task, first->queue);
  if (!lane.waiting.remove(first->urgency, task))
    state.queues[first->queue].late->remove(first->urgency, task);
  start(lane, task, first->queue);
  return true;
}

std::string CollectiveScheduler::describe(Rank rank, OperationId operation) const {
  const Call* const found = calls_.find(rank, operation);
  if (!found) return "it is complete";
  const Call& call = *found;
  const Instance& instance = instance_of(call);
  const GroupFamily& family = recipes_.families()[instance.communicator];
  std::string absent;
  int count = 0;
  for (Position p = 0; p < instance.size; ++p) {
    if (instance.calls[p] != kNone) continue;
    const Position position = instance.recipe->fold.representative_at(p);
    if (count++ < 5)
      absent += fmt::format("{}{}", count > 1 ? ", " : "", family.rank_at(instance.base, position));
  }
  if (count > 5) absent += fmt::format(" and {} more", count - 5);
  if (count > 0) return fmt::format("rank {} {} not called it", absent, count > 1 ? "have" : "has");
  for (std::size_t chunk = 0; chunk < instance.runs.size(); ++chunk)
    for (const std::uint32_t run : instance.runs[chunk]) {
      if (run == kNone || runs_[run].chunk != static_cast<std::int32_t>(chunk)) continue;
      const RunInfo& info = runs_[run];
      const GroupDimension& dimension = instance.path_of(info.chunk).phases[info.phase].dimension;
      const std::int32_t member = dimension.coordinate(call.position);
      if (info.instance == call.instance && call.position - dimension.offset(member) == info.first)
        return fmt::format("chunk {} of {} in phase {} {}", chunk, instance.chunk_count, info.phase,
                           executor_.describe(run, member));
    }
  return "none of its chunks has begun";
}

}  // namespace orrery
