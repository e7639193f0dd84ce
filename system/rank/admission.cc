// How the scheduler of collectives lets chunks into their first phase.
//
// Of the calls in a lane all may have a place, or none, or those that others have begun and that
// this rank has room for. So a look costs as much as there are lanes and limits, not calls.
#include <algorithm>

#include "system/rank/collective_scheduler.h"

namespace orrery {
namespace {

// The part of a StartOrder's key that follows the group.
constexpr std::uint64_t kCalls = 0xFFFFFFFF, kAdmission = kCalls - 1;

// A chunk of an instance, as a StartOrder names it.
constexpr std::uint64_t name_of_chunk(std::uint32_t instance, std::int32_t chunk) {
  return std::uint64_t{instance} << 32 | static_cast<std::uint32_t>(chunk);
}

}  // namespace

// The rank has room for so many of the chunks that others began and it has not.
inline std::uint32_t CollectiveScheduler::best_begun_by_others(const RankState& state,
                                                               std::int32_t number,
                                                               std::int64_t room) {
  const ReadyLane& lane = state.ready[number];
  std::uint32_t best = kNone;
  for (std::int64_t n = 0; n < room; ++n) {
    ++steps_;
    const std::uint64_t name = lane.order->left_to(lane.member, n);
    const auto instance = static_cast<std::uint32_t>(name >> 32);
    const std::uint32_t id = calls_.instance(instance).calls[lane.member];
    if (id == kNone || calls_[id].lane != number) continue;
    if (calls_[id].next_chunk != static_cast<std::int32_t>(name & 0xFFFFFFFF)) continue;
    if (best == kNone || calls_[id].urgency < calls_[best].urgency) best = id;
  }
  return best;
}

// Of the lane's calls, if all of them may begin.
inline std::uint32_t CollectiveScheduler::best_of(const RankState& state, std::int32_t number) {
  ++steps_;
  const ReadyLane& lane = state.ready[number];
  if (lane.place == kNoPlace) return lane.calls.begin()->call;
  const std::int64_t room = first_phase_room(state, lane);
  const std::int64_t reserved = lane.order->reserved_before(lane.member, StartOrder::kNew);
  return reserved < room ? lane.calls.begin()->call : best_begun_by_others(state, number, room);
}

void CollectiveScheduler::admit(RankState& state) {
  for (;;) {
    const std::uint32_t next = next_to_admit(state);
    if (next == kNone) return;
    admit_chunk(state, next);
  }
}

// The best call whose next chunk may be in its first phase.
std::uint32_t CollectiveScheduler::next_to_admit(const RankState& state) {
  std::uint32_t best = kNone;
  for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(state.ready.size()); ++lane) {
    const ReadyLane& ready = state.ready[lane];
    if (ready.calls.empty() || first_phase_room(state, ready) <= 0) continue;
    const std::uint32_t call = ready.first ? best_to_begin(state, lane) : best_of(state, lane);
    if (call != kNone && (best == kNone || calls_[call].urgency < calls_[best].urgency))
      best = call;
  }
  return best;
}

// Of the lane's calls, of which the rank has begun none, those for which it has room beside the
// collectives that others began earlier.
std::uint32_t CollectiveScheduler::best_to_begin(const RankState& state, std::int32_t number) {
  ++steps_;
  const ReadyLane& lane = state.ready[number];
  const std::int64_t room = *spec_.overlap_limit - state.under_way[lane.communicator];
  if (room <= 0) return kNone;
  const StartOrder& order = call_order(instance_of(calls_[lane.calls.begin()->call]));
  if (order.reserved_before(lane.member, StartOrder::kNew) < room) return best_of(state, number);
  std::uint32_t best = kNone;
  for (std::int64_t n = 0; n < room; ++n) {
    ++steps_;
    const auto instance = static_cast<std::uint32_t>(order.left_to(lane.member, n));
    const std::uint32_t id = calls_.instance(instance).calls[lane.member];
    if (id == kNone || calls_[id].lane != number || !may_admit(state, calls_[id])) continue;
    if (best == kNone || calls_[id].urgency < calls_[best].urgency) best = id;
  }
  return best;
}

// Whether there is a place for the next chunk of a call that may begin.
bool CollectiveScheduler::may_admit(const RankState& state, const Call& call) const {
  const ReadyLane& lane = state.ready[call.lane];
  if (lane.place == kNoPlace) return true;
  const std::int64_t number = instance_of(call).admissions[call.next_chunk];
  return lane.order->reserved_before(lane.member, number) < first_phase_room(state, lane);
}

void CollectiveScheduler::admit_chunk(RankState& state, std::uint32_t id) {
  Call& call = calls_[id];
  Instance& instance = calls_.instance(call.instance);
  const std::int32_t member = state.ready[call.lane].member;
  const std::int32_t chunk = call.next_chunk;
  const std::int32_t phase = own_phase(call, chunk, 0);
  if (chunk == 0) {
    if (spec_.overlap_limit)
      instance.begun = call_order(instance).start(member, instance.begun, call.instance);
    ++state.under_way[instance.communicator];
  }
  if (phase == 0) ++in_first_phase(state, instance, chunk);
  StartOrder* order = state.ready[call.lane].order;
  if (order == nullptr) order = &admission_order(instance, way_of(instance, chunk, 0));
  std::int64_t& number = instance.admissions[chunk];
  number = order->start(member, number, name_of_chunk(call.instance, chunk));
  if (chunk + 1 == instance.chunk_count) {
    take_from_lane(id);
    ++call.next_chunk;
  } else {
    ++call.next_chunk;
    if (!is_like_the_last(call)) put_in_lane(id);
  }
  enqueue(state, {id, chunk, phase});
}

// The next chunk belongs to the lane of the chunk before it.
bool CollectiveScheduler::is_like_the_last(const Call& call) const {
  const Instance& instance = instance_of(call);
  const auto& paths = instance.paths;
  return call.next_chunk > 1 && !has_root(instance.call.kind) &&
         paths[call.next_chunk].path == paths[call.next_chunk - 1].path;
}

// A call that is ready goes to the lane of its next chunk.
void CollectiveScheduler::put_in_lane(std::uint32_t id) {
  Call& call = calls_[id];
  RankState& state = state_of(call.rank);
  const std::int32_t lane = lane_for(state, call);
  if (lane == call.lane) return;
  if (call.lane == CollectiveCalls::kNotReady)
    state.ready[lane].calls.insert({call.urgency, id});
  else
    state.ready[lane].calls.insert(state.ready[call.lane].calls.extract({call.urgency, id}));
  call.lane = lane;
}

void CollectiveScheduler::take_from_lane(std::uint32_t id) {
  Call& call = calls_[id];
  state_of(call.rank).ready[call.lane].calls.erase({call.urgency, id});
  call.lane = CollectiveCalls::kNotReady;
}

// Chunks on different ways have places of their own: they meet in no queue in the same order.
std::int32_t CollectiveScheduler::lane_for(RankState& state, const Call& call) {
  const Instance& instance = instance_of(call);
  const bool takes_place = own_phase(call, call.next_chunk, 0) == 0;
  const std::size_t way = takes_place ? way_of(instance, call.next_chunk, 0) : 0;
  const std::size_t place = takes_place ? first_place(instance, way) : kNoPlace;
  const bool first = spec_.overlap_limit && call.next_chunk == 0;
  const auto is_it = [&](const ReadyLane& lane) {
    return lane.communicator == instance.communicator && lane.place == place && lane.first == first;
  };
  if (call.lane != CollectiveCalls::kNotReady && is_it(state.ready[call.lane])) return call.lane;
  const auto found = std::find_if(state.ready.begin(), state.ready.end(), is_it);
  const auto number = static_cast<std::int32_t>(found - state.ready.begin());
  if (found == state.ready.end())
    state.ready.push_back({.communicator = instance.communicator,
                           .place = place,
                           .first = first,
                           .member = instance.index_of(call.position),
                           .order = takes_place ? &admission_order(instance, way) : nullptr,
                           .calls = {}});
  return number;
}

// The collectives of a group, in the order in which anyone began them.
StartOrder& CollectiveScheduler::call_order(const Instance& instance) {
  const std::uint64_t key =
      key_in_group(instance.communicator, static_cast<std::uint64_t>(instance.base), kCalls);
  return orders_.try_emplace(key, instance.size).first->second;
}

StartOrder& CollectiveScheduler::admission_order(const Instance& instance, std::size_t way) {
  const std::uint64_t key = key_in_group(
      instance.communicator, static_cast<std::uint64_t>(instance.base), kAdmission - way);
  return orders_.try_emplace(key, instance.size).first->second;
}

}  // namespace orrery
