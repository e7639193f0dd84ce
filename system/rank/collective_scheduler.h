// Decides when the chunks of each rank's collectives run.
//
// A call is cut into chunks, and a chunk goes through the phases of its collective (phases.h). Per
// rank:
//   overlap     of a communicator at most `overlap_limit` calls have begun and are not complete
//   ready       calls with chunks that have not begun, in the order of the policy: HIGHEST calls
//               first, then by SchedulingPolicy. Nothing is preempted.
//   way         chunks that pass the levels in one order go one way; those that pass them backwards
//               (Phase::back) another, and so does each further order of a schedule (orders_of)
//   admission   at most `first_phase_limit` chunks of a communicator may be in their first phase at
//               a time, on each way
//   queues      `queues_per_level` for each level of the topology and each way; a chunk in a phase
//               over a level waits in its queue, in the order of the calls, until one of its
//               communicator's `queue_limit` places is free. Chunks of flat collectives have
//               `queues_per_level` queues of their own. So have those that go in turn
//               (CollectiveSpec::in_turn, one_by_one), and one place in each
// Some phases of a collective with a root concern few ranks; the others skip them. A rank that
// skips the first phase takes no place until the data has reached the rank from which it gets them:
// that rank may be waiting for a place itself.
//
// Limits hardly ever make ranks wait for each other. Within a queue, ranks keep room for what the
// others have begun (start_order.h), so the earliest thing anyone has begun can be begun by
// everyone as soon as it has arrived there. And it arrives: with queues of their own for each way,
// out and back, the chunks pass all queues in one order.
// What is left are ranks that keep room for a call they cannot make yet; start_beyond_limit()
// resolves that.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/event/event_queue.h"
#include "network/network_backend.h"
#include "network/topology/topology.h"
#include "system/collective/plan_executor.h"
#include "system/job.h"
#include "system/rank/collective_calls.h"
#include "system/rank/collective_recipes.h"
#include "system/rank/start_order.h"
#include "system/rank/waiting_tasks.h"
#include "system/system_spec.h"

namespace orrery {

class CollectiveListener {
 public:
  // The rank's part of a collective is complete, whose ranks had all called it at `joined` (those
  // that are yet to call it not counted). Called from the event queue, never inside call().
  virtual void collective_finished(Rank rank, OperationId operation, Time joined) = 0;

 protected:
  ~CollectiveListener() = default;
};

class CollectiveScheduler final : private RunListener {
 public:
  // REQUIRES: all references outlive the scheduler; the algorithms in `spec` support what they
  // are used for.
  CollectiveScheduler(EventQueue& queue, NetworkBackend& network, const Topology& topology,
                      const SystemSpec& spec, const std::vector<Communicator>& communicators,
                      CollectiveListener& listener);

  // For choose_fold() (folding.h).
  CollectiveRecipes& recipes() { return recipes_; }

  // Makes room for the ranks: to be called once, before the first call. Only the representatives of
  // the fold call. REQUIRES: choose_fold() allows it.
  void make_ranks(const Fold& fold);

  // Throws JobError if another rank of the group called something else in this place.
  void call(Rank rank, OperationId operation, const CollectiveCall& call);

  CallReport report_of(const CollectiveCall& call) { return recipes_.report_of(call); }
  // What a call costs alone. The reference stays valid.
  const CommunicationCost& cost_of(const CollectiveCall& call) { return recipes_.cost_of(call); }

  // What was chosen for calls whose settings depend on their size or are automatic.
  const Selection& selection() const { return recipes_.selection(); }

  // For a run in which nothing is left to happen: starts one waiting chunk beyond its limit, one
  // that other ranks wait for if there is one. False if no chunk waits.
  bool start_beyond_limit();
  std::int64_t started_beyond_limit() const { return started_beyond_limit_; }

  // Calls and tasks that were looked at to find the next: what scheduling costs.
  std::int64_t steps() const { return steps_; }

  // For the report of a job that got stuck: why this operation of the rank is not complete.
  std::string describe(Rank rank, OperationId operation) const;

 private:
  static constexpr std::uint32_t kNone = CollectiveCalls::kNone;

  using Call = CollectiveCalls::Call;
  using Instance = CollectiveCalls::Instance;
  using Urgency = CollectiveCalls::Urgency;
  struct ReadyCall {
    Urgency urgency;
    std::uint32_t call;
    bool operator<(const ReadyCall& other) const { return urgency < other.urgency; }
  };
  // Ready calls of a communicator whose next chunk needs the same kind of place: only the best few
  // of them have to be looked at to know which may have the next one.
  struct ReadyLane {
    std::uint32_t communicator;
    std::size_t place;    // of the next chunk, in RankState::in_first_phase; or kNoPlace
    bool first;           // with an overlap limit: it is the call's first chunk
    std::int32_t member;  // that the rank is in the group and in its StartOrders
    StartOrder* order;
    std::set<ReadyCall> calls;
  };
  static constexpr std::size_t kNoPlace = ~std::size_t{0};  // skips the first phase
  // Where a rank is in a dimension of its group.
  struct Seat {
    std::int32_t member;
    Position first;     // of member 0
    std::int32_t line;  // the number of its line among those of the dimension that run
  };
  // A communicator's tasks in a queue. They run in one line of ranks, so they have one StartOrder.
  struct TaskLane {
    std::uint32_t communicator;
    std::int32_t limit;  // of those that run
    std::int32_t running = 0;
    std::int32_t member;    // that the rank is in the StartOrder
    std::int32_t in_group;  // index_of() its position there
    Seat seat;
    StartOrder* order;
    WaitingTasks waiting;
  };
  struct LevelQueue {
    std::vector<TaskLane> lanes;  // of the communicators whose tasks have come here
    // Tasks that wait until the data reach the rank from which they get it; null: there were none.
    // Few ranks ever have one, and this is the state that a rank has most of.
    std::unique_ptr<WaitingTasks> late;
  };
  struct RankState {
    std::vector<std::uint32_t> call_count;  // of each communicator
    std::int64_t issued = 0;
    std::vector<std::int32_t> under_way;       // calls of each communicator that have begun
    std::vector<std::int32_t> in_first_phase;  // of each communicator, way by way
    std::vector<ReadyLane> ready;              // calls with chunks that have not begun
    std::vector<LevelQueue> queues;            // level by level, way by way
  };
  struct RunInfo {
    std::uint32_t instance;
    std::int32_t chunk, phase;
    Position first;      // of those in the run
    std::size_t queue;   // where its tasks wait
    std::int64_t order;  // its number in the StartOrder
  };

  RankState& state_of(Rank rank) { return ranks_[fold_.index_of(rank)]; }

  void make_ready(std::uint32_t call);
  const Instance& instance_of(const Call& call) const { return calls_.instance(call.instance); }
  Urgency urgency_of(const Call& call, std::int64_t issue) const;

  // admission.cc
  void admit(RankState& state);
  std::uint32_t next_to_admit(const RankState& state);
  std::uint32_t best_of(const RankState& state, std::int32_t lane);
  std::uint32_t best_to_begin(const RankState& state, std::int32_t lane);
  std::uint32_t best_begun_by_others(const RankState& state, std::int32_t lane, std::int64_t room);
  // How many more chunks of the lane may be in their first phase: one always, if it takes no place.
  std::int64_t first_phase_room(const RankState& state, const ReadyLane& lane) const {
    if (lane.place == kNoPlace) return 1;
    return spec_.first_phase_limit - state.in_first_phase[lane.place];
  }
  bool may_admit(const RankState& state, const Call& call) const;
  void admit_chunk(RankState& state, std::uint32_t call);
  bool is_like_the_last(const Call& call) const;
  void put_in_lane(std::uint32_t call);
  void take_from_lane(std::uint32_t call);
  std::int32_t lane_for(RankState& state, const Call& call);
  std::size_t way_of(const Instance& instance, std::int32_t chunk, std::int32_t phase) const {
    const auto order = static_cast<std::size_t>(instance.paths[chunk].path);
    return 2 * order + (instance.path_of(chunk).phases[phase].phase.back ? 1 : 0);
  }
  std::size_t first_place(const Instance& instance, std::size_t way) const {
    return instance.communicator * recipes_.ways() + way;
  }
  std::int32_t& in_first_phase(RankState& state, const Instance& instance, std::int32_t chunk) {
    return state.in_first_phase[first_place(instance, way_of(instance, chunk, 0))];
  }
  StartOrder& call_order(const Instance& instance);
  StartOrder& admission_order(const Instance& instance, std::size_t way);

  // level_queues.cc
  void enqueue(RankState& state, const Task& task);
  void fill(RankState& state, std::size_t queue);
  const Task* next_of(const TaskLane& lane);
  const Task* next_begun_by_others(const TaskLane& lane, std::int64_t room);
  bool may_start(const TaskLane& lane, std::uint32_t run);
  bool is_full(const TaskLane& lane) const { return lane.running >= lane.limit; }
  TaskLane& task_lane(RankState& state, const Task& task, std::size_t queue);
  static TaskLane& lane_of(LevelQueue& queue, std::uint32_t communicator);
  void start(TaskLane& lane, const Task& task, std::size_t queue);
  void let_others_start(const Task& task, Seat seat, std::size_t queue);
  void release_late(const Task& task, Seat seat, std::size_t queue);
  std::uint32_t open_run(const Task& task, Seat seat, std::size_t queue);
  // The switch of the level, if it has one, for plans that need it.
  NodeId switch_of(Rank rank, int level) const;
  std::shared_ptr<const PartSizes> part_sizes_of(const Instance& instance, const Task& task) const;
  void run_finished(std::uint32_t run, Position position, bool last) override;
  void finish_chunk(std::uint32_t call);

  std::uint32_t communicator_of(const Task& task) const {
    return instance_of(calls_[task.call]).communicator;
  }
  const PhaseRecipe& phase_of(const Task& task) const {
    return instance_of(calls_[task.call]).path_of(task.chunk).phases[task.phase];
  }
  Seat seat_of(const Task& task) const;
  Rank rank_at(const Task& task, Position position) const;
  // The first of a chunk's phases, from `phase` on, in which the rank takes part; their number if
  // there is none.
  std::int32_t own_phase(const Call& call, std::int32_t chunk, std::int32_t phase) const {
    return has_root(instance_of(call).call.kind) ? phase_below_root(call, chunk, phase) : phase;
  }
  std::int32_t phase_below_root(const Call& call, std::int32_t chunk, std::int32_t phase) const;
  // The rank has skipped all phases before this one.
  bool comes_in_late(const Task& task) const {
    return task.phase > 0 && own_phase(calls_[task.call], task.chunk, 0) == task.phase;
  }
  // The task's run, kNone until someone has begun it.
  std::uint32_t& run_slot(const Task& task, Seat seat) {
    Instance& instance = calls_.instance(calls_[task.call].instance);
    const PathRecipe& path = instance.path_of(task.chunk);
    auto& slots = instance.runs[task.chunk];
    if (slots.empty()) slots.assign(path.slots, kNone);
    return slots[path.phases[task.phase].first_slot + seat.line];
  }
  std::size_t queue_of(const Task& task) const;
  // Of chunks that need not go in turn; as many follow for those that do.
  std::size_t queue_count() const {
    return (queued_levels() * recipes_.ways() + 1) *
           static_cast<std::size_t>(spec_.queues_per_level);
  }
  // Exchanges over joined levels run in other lines than what passes the outermost of them, so they
  // count as a level more each.
  std::size_t queued_levels() const {
    return topology_.levels().size() * (recipes_.joins_levels() ? 2 : 1);
  }
  StartOrder& queue_order(const Task& task, std::size_t queue);

  EventQueue& queue_;
  const Topology& topology_;
  const SystemSpec& spec_;
  CollectiveListener& listener_;
  CollectiveRecipes recipes_;
  CollectiveCalls calls_;
  PlanExecutor executor_;
  Fold fold_;
  std::vector<RankState> ranks_;                          // of representatives
  std::unordered_map<std::uint64_t, StartOrder> orders_;  // made when first asked for
  std::vector<RunInfo> runs_;                             // by run number of the executor
  std::int64_t started_beyond_limit_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace orrery
