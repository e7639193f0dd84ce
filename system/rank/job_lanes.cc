// What a JobRunner does in a job with lanes: work on several lanes of a rank, and the accounts.
#include <algorithm>

#include "core/base/check.h"
#include "system/rank/job_runner.h"
#include "system/rank/operation_detail.h"

namespace orrery {

// Begins all that may begin.
void JobRunner::run_lanes(Rank rank) {
  RankLanes& lanes = lanes_of(rank);
  while (lanes.next() != nullptr) {
    const RankLanes::Doing before = doing(rank);
    const Operation& work = lanes.begin(queue_.now());
    if (doing(rank) != before) close_lane_interval(rank, before, nullptr, Time{});
    begin_on_lane(rank, work);
  }
}

// Communication takes its share of a processor, but not from a time that has it already.
void JobRunner::begin_on_lane(Rank rank, const Operation& operation) {
  const Duration time = lane_time(rank, operation);
  const bool is_taken_from = lanes_of(rank).kind_of(operation) == LaneKind::processor &&
                             !std::get<Compute>(operation.what).beside_communication;
  if (is_taken_from)
    processors_.begin(rank, operation.id, time);
  else
    queue_.schedule(time, [this, rank, id = operation.id] { lane_done(rank, id, {}); });
}

// Only a processor is as fast as the model of the device says: the rest takes what was measured.
Duration JobRunner::lane_time(Rank rank, const Operation& operation) {
  const auto& work = std::get<Compute>(operation.what);
  const LaneKind kind = lanes_of(rank).kind_of(operation);
  if (kind == LaneKind::memory && memory_ && work.memory_traffic > Bytes{})
    return memory_->time_of(rank, work.memory_traffic, queue_.now());
  if (kind != LaneKind::processor) return work.measured.value_or(Duration{});
  RankState& state = state_of(rank);
  state.computed += work.flops;
  state.limit = compute_.limit_of(work);
  return time_of(rank, operation, work);
}

// Communication beside it made it `stolen` longer.
void JobRunner::lane_done(Rank rank, OperationId id, Duration stolen) {
  RankLanes& lanes = lanes_of(rank);
  const RankLanes::Doing before = doing(rank);
  const RankLanes::Work done = lanes.end(id);
  lanes.stolen += stolen;
  const bool communicates = lanes.kind_of(done.operation) == LaneKind::communication;
  if (communicates || doing(rank) != before)
    close_lane_interval(rank, before, communicates ? &done.operation : nullptr, Time{});
  sink_.on_span({.kind = SpanKind::compute,
                 .rank = rank,
                 .operation = id,
                 .label = done.operation.label,
                 .detail = kDetailCompute,
                 .begin = done.begun,
                 .end = queue_.now(),
                 .size = {}});
  operation_finished(rank, id);
  run_lanes(rank);
}

void JobRunner::add_to_account(RankLanes::Doing doing, Duration passed, RankAccount& account) {
  switch (doing) {
    case RankLanes::Doing::compute:
      account.compute += passed;
      return;
    case RankLanes::Doing::exposed:
      account.exposed += passed;
      return;
    case RankLanes::Doing::memory:
      account.memory += passed;
      return;
    case RankLanes::Doing::host:
      account.host += passed;
      return;
    case RankLanes::Doing::idle:
      account.idle += passed;
      return;
  }
}

RankLanes::Doing JobRunner::doing(Rank rank) const {
  return lanes_of(rank).doing(!state_of(rank).outstanding.empty());
}

// What the rank has done since `mark`; it may do something else from now on. `ended`: communication
// that ends now, for which it has waited if it has waited at all.
void JobRunner::close_lane_interval(Rank rank, RankLanes::Doing doing, const Operation* ended,
                                    Time joined) {
  RankState& state = state_of(rank);
  RankLanes& lanes = lanes_of(rank);
  const Duration passed = queue_.now() - state.mark;
  if (passed > Duration{} && doing == RankLanes::Doing::exposed) {
    const Operation& operation = ended != nullptr ? *ended : *waited_for(rank);
    emit_exposed(rank, operation);
    waited(state, operation.label, joined);
  } else if (passed > Duration{}) {
    RankAccount times{};
    add_to_account(doing, passed, times);
    // Of an interval at most all: lanes from which communication took may have worked beside
    // each other.
    const Duration stolen = std::min(lanes.stolen, times.compute);
    lanes.stolen -= stolen;
    state.stolen += stolen;
    state.compute += times.compute;
    state.computing.outside[static_cast<std::size_t>(state.limit)] += times.compute - stolen;
    lanes.memory += times.memory;
    lanes.host += times.host;
    state.idle += times.idle;
  }
  state.mark = queue_.now();
}

// Some communication that is not complete; null if there is none.
const Operation* JobRunner::waited_for(Rank rank) const {
  const RankState& state = state_of(rank);
  if (!state.outstanding.empty()) return &state.outstanding.begin()->second.operation;
  const RankLanes& lanes = lanes_of(rank);
  const auto found = std::ranges::find_if(lanes.under_way(), [&](const auto& work) {
    return lanes.kind_of(work.second.operation) == LaneKind::communication;
  });
  return found == lanes.under_way().end() ? nullptr : &found->second.operation;
}

void JobRunner::emit_open_lanes(Rank rank) {
  const RankState& state = state_of(rank);
  const RankLanes& lanes = lanes_of(rank);
  for (const auto& [id, work] : lanes.under_way())
    sink_.on_span({.kind = SpanKind::compute,
                   .rank = rank,
                   .operation = id,
                   .label = work.operation.label,
                   .detail = kDetailCompute,
                   .begin = work.begun,
                   .end = queue_.now(),
                   .size = {}});
  const bool exposed = doing(rank) == RankLanes::Doing::exposed;
  if (exposed && queue_.now() > state.mark) emit_exposed(rank, *waited_for(rank));
}

// Whether some rank asks a remote memory that others ask too.
bool JobRunner::shares_remote_memory() const {
  if (!spec_.remote_memory || !is_shared(*spec_.remote_memory) || job_.lanes.empty()) return false;
  const void* known = nullptr;  // of the rank before: most share theirs
  for (Rank rank = 0; rank < job_.ranks; ++rank) {
    const auto operations = job_.operations->known_operations(rank);
    if (operations.identity() == known) continue;
    known = operations.identity();
    for (const Operation& operation : operations) {
      const auto* work = std::get_if<Compute>(&operation.what);
      if (work != nullptr && work->memory_traffic > Bytes{} &&
          job_.lanes[work->lane].kind == LaneKind::memory)
        return true;
    }
  }
  return false;
}

}  // namespace orrery
