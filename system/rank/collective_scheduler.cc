#include "system/rank/collective_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace orrery {

CollectiveScheduler::CollectiveScheduler(EventQueue& queue, NetworkBackend& network,
                                         const Topology& topology, const SystemSpec& spec,
                                         const std::vector<Communicator>& communicators,
                                         CollectiveListener& listener)
    : queue_(queue),
      topology_(topology),
      spec_(spec),
      listener_(listener),
      recipes_(topology, spec, communicators),
      calls_(spec, recipes_),
      executor_(queue, network, spec.reduction_bandwidth, *this) {
  constexpr std::size_t most = 255;  // key_in_group() has 8 bits for them, and 24 for a rank
  if (communicators.size() > most)
    throw JobError(
        fmt::format("the job has {} communicators (different sets of groups of ranks), "
                    "and a job may have {}: use fewer",
                    communicators.size(), most));
  CHECK(topology.npu_count() <= (1 << 24), "{} ranks", topology.npu_count());
}

void CollectiveScheduler::make_ranks(const Fold& fold) {
  CHECK(ranks_.empty(), "{} ranks were made before", ranks_.size());
  fold_ = fold;
  recipes_.fold(fold);
  ranks_.resize(topology_.npu_count() / fold.multiplicity());
  for (RankState& rank : ranks_) {
    rank.call_count.resize(recipes_.families().size());
    rank.under_way.resize(recipes_.families().size());
    rank.in_first_phase.resize(recipes_.ways() * recipes_.families().size());
    rank.queues.resize(queue_count() * (recipes_.takes_turns() ? 2 : 1));
  }
}

// ---- calls -------------------------------------------------------------------------------------

void CollectiveScheduler::call(Rank rank, OperationId operation, const CollectiveCall& call) {
  RankState& state = state_of(rank);
  std::uint32_t& number = state.call_count[static_cast<std::size_t>(call.communicator)];
  const std::uint32_t own = number++;
  const std::uint32_t id = calls_.join(
      rank, call, call.number < 0 ? own : static_cast<std::uint32_t>(call.number), queue_.now());
  calls_[id].operation = operation;
  calls_[id].priority = call.priority;
  calls_[id].urgency = urgency_of(calls_[id], state.issued++);
  const Duration launch = instance_of(calls_[id]).recipe->launch;
  if (launch > Duration{})
    queue_.schedule(launch, [this, id] { make_ready(id); });
  else
    make_ready(id);
}

// The chunks of a call may begin.
void CollectiveScheduler::make_ready(std::uint32_t id) {
  put_in_lane(id);
  admit(state_of(calls_[id].rank));
}

// HIGHEST calls first, then as the policy says. `issue`: it is the n-th call of its rank.
CollectiveScheduler::Urgency CollectiveScheduler::urgency_of(const Call& call,
                                                             std::int64_t issue) const {
  constexpr std::int64_t before_all = std::numeric_limits<std::int64_t>::min();
  const std::int64_t highest = call.priority == Priority::highest ? before_all : 0;
  switch (spec_.scheduling) {
    case SchedulingPolicy::lifo:
      return {highest, -issue};
    case SchedulingPolicy::fifo:
      break;
    case SchedulingPolicy::priority:
      return {highest < 0 ? highest : -static_cast<std::int64_t>(call.priority), issue};
    case SchedulingPolicy::shortest_first:
      return {highest + instance_of(call).call.size.value, issue};
  }
  return {highest, issue};
}

// ---- runs --------------------------------------------------------------------------------------

namespace {

// Of a communicator, one for each dimension and symmetry: where a plan turns and another exchanges,
// some ranks would send to one neighbour what others send to two, and they would not be alike.
std::int32_t connection_of(const CollectiveCalls::Instance& instance, const PhaseRecipe& phase,
                           const Plan& plan) {
  constexpr int symmetry_bits = 2, dimension_bits = 8;
  const auto communicator = static_cast<std::int32_t>(instance.communicator);
  return (communicator << dimension_bits | (phase.phase.dimension + 1)) << symmetry_bits |
         static_cast<std::int32_t>(plan.symmetry());
}

// Chunks in the order of the calls, then of their numbers. The lower bits of the key are the number
// of the call in its group.
std::uint32_t order_of(const CollectiveCalls::Instance& instance, std::int32_t chunk) {
  constexpr int chunk_bits = 12;
  const auto number = static_cast<std::uint32_t>(instance.key);
  return number << chunk_bits | (static_cast<std::uint32_t>(chunk) & ((1U << chunk_bits) - 1));
}

}  // namespace

std::uint32_t CollectiveScheduler::open_run(const Task& task, Seat seat, std::size_t queue) {
  const Call& call = calls_[task.call];
  const Instance& instance = instance_of(call);
  const GroupFamily& family = recipes_.families()[instance.communicator];
  const PhaseRecipe& phase = phase_of(task);
  Bytes bytes = instance.chunks.size(task.chunk);
  for (const int d : phase.phase.scattered)
    bytes = equal_part(bytes, instance.recipe->layout->dimensions[d].size);
  const auto turn = static_cast<std::size_t>(instance.paths[task.chunk].turn);
  const std::size_t variant = turn % phase.variants.size();
  const Plan* plan = phase.variants[variant];
  if (has_root(phase.phase.kind))
    plan = recipes_.rooted_plan(*instance.recipe, phase, static_cast<int>(variant),
                                instance.call.root);
  const std::uint32_t run = executor_.open(
      {.plan = plan,
       .size = phase.dimension.size,
       .ranks = family.line(instance.base, seat.first, phase.dimension),
       .stride = phase.dimension.stride,
       .switch_node = switch_of(call.rank, phase.dimension.level),
       .bytes = bytes,
       .efficiency = phase.efficiency,
       .least = phase.least,
       .parts = part_sizes_of(instance, task),
       .endpoint_delay = phase.endpoint_delay,
       .step = phase.step,
       .local_delay = phase.local_delay,
       .ranks_of_node = phase.ranks_of_node,
       .traffic_class =
           call.priority == Priority::highest ? TrafficClass::highest : TrafficClass::normal,
       .label = static_cast<std::uint8_t>(instance.call.kind),
       .group = static_cast<std::int16_t>(instance.call.communicator),
       .connection = connection_of(instance, phase, *plan),
       .order = order_of(instance, task.chunk),
       .tensor = instance.call.tensor,
       .in_order = instance.recipe->in_turn && instance.call.kind <= Collective::all_gather,
       .fold = phase.fold});
  if (run >= runs_.size()) runs_.resize(run + 1);
  runs_[run] = {call.instance, task.chunk, task.phase, seat.first, queue, StartOrder::kNew};
  return run;
}

NodeId CollectiveScheduler::switch_of(Rank rank, int level) const {
  if (topology_.levels()[level].kind != LevelKind::switched) return {};
  return topology_.switch_of(level, {rank});
}

// Null but for an all-to-allv.
std::shared_ptr<const PartSizes> CollectiveScheduler::part_sizes_of(const Instance& instance,
                                                                    const Task& task) const {
  if (!instance.call.pair_sizes) return nullptr;
  const int dimension = phase_of(task).phase.dimension;
  std::vector<std::int32_t> shape;
  for (const GroupDimension& one : instance.recipe->layout->dimensions) shape.push_back(one.size);
  if (dimension == kWhole) shape = {instance.size};
  std::vector<int> done;
  const auto& phases = instance.path_of(task.chunk).phases;
  for (std::int32_t before = 0; before < task.phase; ++before)
    done.push_back(phases[before].phase.dimension);
  return std::make_shared<PartSizes>(
      instance.call.pair_sizes,
      PartSizes::Line{shape, std::max(dimension, 0), done, calls_[task.call].position}, task.chunk,
      instance.chunk_count);
}

void CollectiveScheduler::run_finished(std::uint32_t run, Position position, bool) {
  const RunInfo info = runs_[run];
  const Instance& instance = calls_.instance(info.instance);
  const PathRecipe& path = instance.path_of(info.chunk);
  const PhaseRecipe& phase = path.phases[info.phase];
  const Position in_group = info.first + phase.dimension.offset(position);
  const std::uint32_t call = instance.calls[instance.index_of(in_group)];
  RankState& state = state_of(calls_[call].rank);

  --lane_of(state.queues[info.queue], instance.communicator).running;
  if (info.phase == 0) --in_first_phase(state, instance, info.chunk);
  const std::int32_t next = own_phase(calls_[call], info.chunk, info.phase + 1);
  if (next < static_cast<std::int32_t>(path.phases.size()))
    enqueue(state, {call, info.chunk, next});
  else
    finish_chunk(call);
  fill(state, info.queue);
  admit(state);
}

void CollectiveScheduler::finish_chunk(std::uint32_t id) {
  if (--calls_[id].unfinished_chunks > 0) return;
  const Call call = calls_[id];
  const Instance& instance = instance_of(call);
  const Time joined = instance.joined;
  --state_of(call.rank).under_way[instance.communicator];
  calls_.leave(id);
  listener_.collective_finished(call.rank, call.operation, joined);
}

// ---- look-ups ----------------------------------------------------------------------------------

std::int32_t CollectiveScheduler::phase_below_root(const Call& call, std::int32_t chunk,
                                                   std::int32_t phase) const {
  const Instance& instance = instance_of(call);
  const auto& dimensions = instance.recipe->layout->dimensions;
  const auto differs_from_root = [&](const std::vector<int>& at_root) {
    return std::any_of(at_root.begin(), at_root.end(), [&](int d) {
      return dimensions[d].coordinate(call.position) !=
             dimensions[d].coordinate(instance.call.root);
    });
  };
  const auto& phases = instance.path_of(chunk).phases;
  while (phase < static_cast<std::int32_t>(phases.size()) &&
         differs_from_root(phases[phase].phase.at_root))
    ++phase;
  return phase;
}

CollectiveScheduler::Seat CollectiveScheduler::seat_of(const Task& task) const {
  const Position position = calls_[task.call].position;
  const PhaseRecipe& phase = phase_of(task);
  const Digit& digit = phase.digit;
  const std::int32_t member = phase.dimension.coordinate(position);
  // The position without its digit in this dimension numbers the lines.
  const std::int32_t index = instance_of(calls_[task.call]).index_of(position);
  const std::int32_t above = index / (digit.stride * digit.count);
  return {member, position - phase.dimension.offset(member),
          above * digit.stride + index % digit.stride};
}

Rank CollectiveScheduler::rank_at(const Task& task, Position position) const {
  const Instance& instance = instance_of(calls_[task.call]);
  return recipes_.families()[instance.communicator].rank_at(instance.base, position);
}

}  // namespace orrery
