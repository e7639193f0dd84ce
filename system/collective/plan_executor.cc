#include "system/collective/plan_executor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"

namespace orrery {
namespace {

// The lane number of a token holds the lanes of both ends, the target's in the lower bits, whether
// the pieces are to be added at the target, and whether the message stays within a node whose
// messages are delayed otherwise.
constexpr std::uint32_t kReduceBit = 1U << 31, kLocalBit = 1U << 30;
constexpr int kSourceLaneShift = 15;
constexpr std::uint32_t kLaneLimit = 1U << kSourceLaneShift;

constexpr std::uint32_t target_lane(const MessageToken& token) {
  return token.lane & (kLaneLimit - 1);
}
constexpr std::uint32_t source_lane(const MessageToken& token) {
  return token.lane >> kSourceLaneShift & (kLaneLimit - 1);
}

// So many messages at once are given to the network as a series, at the price of an event each. The
// arrivals of fewer take little memory.
constexpr std::int32_t kSeriesFrom = 256;

// Event argument: run in the upper 22 bits, index of the lane in the lower 26.
constexpr int kLaneBits = 26;
constexpr std::uint64_t kRunLimit = 1ULL << (48 - kLaneBits);

// Who runs for a position.
Position represented(const Digit& fold, Position position) {
  return fold.count == 1 ? position : position - fold.of(position) * fold.stride;
}

// As the plan's symmetry counts, so that it is the same for those who do the same; and in positions
// of the whole group, so that it is another for each source of a rank.
std::int32_t distance_of(const RunSpec& spec, bool exchanges, Position from, Position to) {
  if (exchanges) [[unlikely]]
    return (from ^ to) * spec.stride;
  const std::int32_t up = to - from;
  return (up < 0 ? up + spec.size : up) * spec.stride;
}

// What is added up is pushed, what is copied comes back.
TensorPart tensor_of(const RunSpec& spec, bool reduce) {
  TensorPart part = spec.tensor;
  if (part.way != TensorWay::none) part.way = reduce ? TensorWay::push : TensorWay::pull;
  return part;
}

// How many stages of the plan go in order (RunSpec::in_order): of those of one message each, as far
// as they have other senders than the first one. A connection has an order of its own, so of a ring
// only the first one has to wait.
std::int32_t stages_in_order(const Plan& plan) {
  if (plan.symmetry() == Symmetry::none || plan.lanes() > 1 || plan.gated() || plan.switches() > 0)
    return 0;
  for (std::int32_t index = 0;; ++index) {
    const Stage stage = plan.stage(0, 0, index);
    if (stage.sends != 1 || stage.receives != 1) return 0;
    if (index == 1 && plan.send(0, 0, 0, 0).to == plan.send(0, 0, 1, 0).to) return 1;
    if (stage.last) return index + 1;
  }
}

// REQUIRES: the run has nodes.
bool stays_local(const RunSpec& spec, Rank source, Rank target) {
  return source / spec.ranks_of_node == target / spec.ranks_of_node;
}

}  // namespace

std::size_t PlanExecutor::EarlyKeyHash::operator()(const EarlyKey& key) const {
  const std::uint64_t a = (static_cast<std::uint64_t>(key.run) << 32) | key.position;
  const std::uint64_t b = (static_cast<std::uint64_t>(key.lane) << 32) | key.stage;
  std::uint64_t mixed = (a ^ (b * 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return mixed ^ (mixed >> 31);
}

PlanExecutor::PlanExecutor(EventQueue& queue, NetworkBackend& network,
                           std::optional<Bandwidth> reduction_bandwidth, RunListener& listener)
    : queue_(queue),
      network_(network),
      reduction_bandwidth_(reduction_bandwidth),
      listener_(listener),
      handler_(queue.add_handler(*this)) {}

std::uint32_t PlanExecutor::open(const RunSpec& spec) {
  std::uint32_t id = 0;
  if (free_runs_.empty()) {
    id = static_cast<std::uint32_t>(runs_.size());
    CHECK(id < kRunLimit, "{} runs at once", id);
    runs_.emplace_back();
  } else {
    id = free_runs_.back();
    free_runs_.pop_back();
  }
  Run& run = runs_[id];
  run.spec = spec;
  run.piece = equal_part(spec.bytes, spec.plan->pieces());
  run.lane_count = spec.plan->lanes();
  run.exchanges = spec.plan->symmetry() == Symmetry::exchange;
  run.participants = run.unfinished = spec.size / spec.fold.count + spec.plan->switches();
  const std::size_t lanes = static_cast<std::size_t>(run.participants) * run.lane_count;
  CHECK(lanes < (1ULL << kLaneBits) && run.lane_count < static_cast<int>(kLaneLimit),
        "{} ranks in {} lanes", spec.size, run.lane_count);
  run.gates.reset();
  if (spec.plan->gated()) run.gates.emplace(spec.size, run.lane_count);
  run.lanes.assign(lanes, Lane{});
  run.ordered = spec.in_order && network_.shares_ports() ? stages_in_order(*spec.plan) : 0;
  run.turns.assign(run.ordered > 0 ? lanes : 0, Turn{});
  if (run.lane_count > 1) run.open_lanes.assign(run.participants, run.lane_count);
  if (spec.plan->switches() > 0) start(id, spec.size);  // a switch is always there
  return id;
}

void PlanExecutor::start(std::uint32_t id, Position position) {
  starting_ = true;
  Run& run = runs_[id];
  if (run.ordered > 0) open_turn(run, {id, position, 0}, 0, queue_.now());
  for (std::int32_t lane = 0; lane < run.lane_count; ++lane) {
    const Place place{id, position, static_cast<std::uint32_t>(lane)};
    Lane& state = lane_at(run, place);
    state.ready = queue_.now();
    state.next = run.spec.plan->stage(position, lane, 0);
    complete_stage(run, state, place);  // stage -1: there is nothing to wait for
  }
  starting_ = false;
}

[[gnu::always_inline]] inline void PlanExecutor::wake_at(Time when, const Run& run,
                                                         const Place& place) {
  const std::uint64_t index = lane_index(run, place);
  queue_.schedule_at(when, handler_, (static_cast<std::uint64_t>(place.run) << kLaneBits) | index);
}

// All arrivals of the present stage are noted: goes on, as far as time and early arrivals allow.
// The references stay valid, because nothing that is called here opens a run, but for the end of
// the lane.
void PlanExecutor::complete_stage(Run& run, Lane& lane, const Place& place) {
  do {
    Time start = lane.ready;
    if (run.gates) [[unlikely]] {
      if (!leave_stage(run, lane, place)) return;
      if (!lane.last) {
        const std::optional<Time> open = gate_opens(run, lane, place);
        if (!open) return;
        start = *open;
      }
    }
    if (lane.last) {
      end_lane(place);
      return;
    }
    Time when =
        lane.next.sends > 0 ? start + delay_of_sends(run, lane, place) + run.spec.step : start;
    if (lane.stage + 1 < run.ordered) [[unlikely]] {
      const std::optional<Time> turn = turn_comes(run, lane, place);
      if (!turn) return;
      when = std::max(when, *turn);
    }
    if (when > queue_.now()) {
      wake_at(when, run, place);
      return;
    }
    enter_next_stage(run, lane, place);
  } while (lane.missing == 0);
}

// Notes that the present stage is complete and wakes who waited for that, unless its sends are to
// leave first: then injected() comes back.
bool PlanExecutor::leave_stage(Run& run, Lane& lane, const Place& place) {
  if (lane.stage < 0) return true;
  if (run.spec.plan->gate(place.position, static_cast<int>(place.lane), lane.stage).sends_leave) {
    if (lane.unsent > 0) return false;
    lane.ready = std::max(lane.ready, lane.sent);
  }
  for (const std::uint32_t other :
       run.gates->complete(place.position, place.lane, lane.stage, lane.ready))
    wake_at(queue_.now(), run, {place.run, place.position, other});
  return true;
}

// When the next stage may begin but for the delay of its sends; nothing, if it waits for a stage of
// another lane, whose completion comes back here.
std::optional<Time> PlanExecutor::gate_opens(Run& run, const Lane& lane, const Place& place) {
  const Gate gate =
      run.spec.plan->gate(place.position, static_cast<int>(place.lane), lane.stage + 1);
  const std::optional<Time> open = run.gates->open(place.position, place.lane, gate.after);
  if (!open) return std::nullopt;
  Time when = std::max(lane.ready, *open) + gate.compute;
  if (reduction_bandwidth_ && gate.added.count > 0)
    when += transfer_time(run.piece * gate.added.count, *reduction_bandwidth_);
  return when;
}

// When the message of the next stage may leave; nothing, if that is not known yet: what it waits
// for wakes it.
std::optional<Time> PlanExecutor::turn_comes(Run& run, const Lane& lane, const Place& place) {
  const std::int32_t index = index_of(run, place.position);
  Turn& own = run.turns[static_cast<std::size_t>(index)];
  if (lane.unsent > 0) {
    own.held_by_own = true;
    return std::nullopt;
  }
  const Position to = run.spec.plan->send(place.position, 0, lane.stage + 1, 0).to;
  Turn& target = turn_at(run, represented(run.spec.fold, to));
  if (target.open > lane.stage) return std::max(lane.sent, target.since);
  own.next_held = std::exchange(target.first_held, index);
  return std::nullopt;
}

// Messages of that stage, and none of later ones, may come to the rank from then on.
void PlanExecutor::open_turn(Run& run, const Place& place, std::int32_t stage, Time since) {
  Turn& turn = turn_at(run, place.position);
  turn.open = stage;
  turn.since = since;
  std::int32_t* link = &turn.first_held;
  while (*link >= 0) {
    const std::int32_t held = *link;
    Turn& other = run.turns[static_cast<std::size_t>(held)];
    if (run.lanes[static_cast<std::size_t>(held)].stage >= stage) {
      link = &other.next_held;
      continue;
    }
    *link = std::exchange(other.next_held, -1);
    wake_at(queue_.now(), run, {place.run, position_at(run, held), 0});
  }
}

void PlanExecutor::enter_next_stage(Run& run, Lane& lane, const Place& place) {
  const Stage stage = lane.next;
  ++lane.stage;
  lane.last = stage.last;
  lane.missing = stage.receives - lane.next_arrivals;
  lane.ready = std::max(queue_.now(), lane.next_ready);
  lane.next_arrivals = 0;
  lane.next_ready = Time{};
  if (lane.early > 0) [[unlikely]]
    pick_up_early(lane, place);
  if (stage.sends > 0) post_sends(run, lane, place, stage.sends);
  if (!stage.last)
    lane.next = run.spec.plan->stage(place.position, static_cast<int>(place.lane), lane.stage + 1);
}

// What has come for the stage after the present one, beyond what Lane itself notes.
void PlanExecutor::pick_up_early(Lane& lane, const Place& place) {
  const auto found = early_.find({place.run, static_cast<std::uint32_t>(place.position), place.lane,
                                  static_cast<std::uint32_t>(lane.stage + 1)});
  if (found == early_.end()) return;
  lane.next_arrivals = found->second.arrivals;
  lane.next_ready = found->second.ready;
  early_.erase(found);
  --lane.early;
}

// Of the next stage's sends, some of which stay within a node.
Duration PlanExecutor::longest_delay(const Run& run, const Lane& lane, const Place& place) const {
  const RunSpec& spec = run.spec;
  Duration delay;
  for (std::int32_t i = 0; i < lane.next.sends; ++i) {
    const Send send =
        spec.plan->send(place.position, static_cast<int>(place.lane), lane.stage + 1, i);
    const bool local = stays_local(spec, spec.ranks.at(place.position), spec.ranks.at(send.to));
    delay = std::max(delay, local ? spec.local_delay : spec.endpoint_delay);
  }
  return delay;
}

Bytes PlanExecutor::on_wire(const RunSpec& spec, Bytes data) {
  if (data == Bytes{}) return data;
  const Bytes size = spec.efficiency == Share{1, 1} ? data : whole_of(data, spec.efficiency);
  return std::max(size, spec.least);
}

// The n-th send of a stage.
inline Message PlanExecutor::message_of(const Run& run, const Place& place, std::int32_t stage,
                                        std::int32_t n) {
  const RunSpec& spec = run.spec;
  const Send send = spec.plan->send(place.position, static_cast<int>(place.lane), stage, n);
  const std::uint32_t to_lane = send.lane < 0 ? place.lane : static_cast<std::uint32_t>(send.lane);
  const bool local = spec.ranks_of_node > 0 &&
                     stays_local(spec, spec.ranks.at(place.position), spec.ranks.at(send.to));
  const Position to = represented(spec.fold, send.to);
  const Bytes data =
      spec.parts ? size_in_parts(run, place, stage, send.pieces) : run.piece * send.pieces.count;
  return {.source = node_of(run, place.position),
          .target = node_of(run, send.to),
          .size = on_wire(spec, data),
          .token = {.owner = place.run,
                    .position = static_cast<std::uint32_t>(to),
                    .lane = to_lane | place.lane << kSourceLaneShift |
                            (send.reduce ? kReduceBit : 0) | (local ? kLocalBit : 0),
                    .stage = static_cast<std::uint32_t>(send.stage)},
          .traffic_class = spec.traffic_class,
          .label = spec.label,
          .group = spec.group,
          .distance = distance_of(spec, run.exchanges, place.position, send.to),
          .connection = spec.connection,
          .order = spec.order,
          .tensor = tensor_of(spec, send.reduce)};
}

void PlanExecutor::post_sends(Run& run, Lane& lane, const Place& place, std::int32_t count) {
  if (count >= kSeriesFrom) {
    const MessageToken series{place.run, static_cast<std::uint32_t>(place.position), place.lane,
                              static_cast<std::uint32_t>(lane.stage)};
    if (const std::optional<Time> sent = network_.send_series(*this, series, count, *this)) {
      lane.sent = std::max(lane.sent, *sent);
      return;
    }
  }
  for (std::int32_t i = 0; i < count; ++i) {
    const Message message = message_of(run, place, lane.stage, i);
    const Time sent = network_.send(message, *this);
    if (sent == Time::never()) {
      ++lane.unsent;
      continue;
    }
    lane.sent = std::max(lane.sent, sent);
    if (lane.stage + 1 < run.ordered) open_next(run, message.token, sent);
  }
}

// The run does not end before the series has left.
Message PlanExecutor::message(const MessageToken& series, std::int32_t n) const {
  const Place place{series.owner, static_cast<Position>(series.position), series.lane};
  return message_of(runs_[place.run], place, static_cast<std::int32_t>(series.stage), n);
}

// Part d goes d positions up from where it began.
Bytes PlanExecutor::size_in_parts(const Run& run, const Place& place, std::int32_t stage,
                                  const Pieces& pieces) {
  const Plan& plan = *run.spec.plan;
  const std::int32_t size = run.spec.size, shares = plan.pieces() / size;
  const auto lane = static_cast<int>(place.lane);
  Bytes sum;
  for (std::int32_t i = 0; i < pieces.count; ++i) {
    const auto piece = static_cast<std::int32_t>(pieces.at(i) % plan.pieces());
    const std::int32_t way = piece / shares;
    const Position come = plan.travelled(lane, stage, way) % size;
    const Position source = (place.position - come + size) % size;
    sum += run.spec.parts->size(source, (source + way) % size, piece % shares, shares);
  }
  return sum;
}

void PlanExecutor::delivered(const MessageToken& token, Bytes size) {
  const Place place{token.owner, static_cast<Position>(token.position), target_lane(token)};
  Run& run = runs_[place.run];
  Lane& lane = lane_at(run, place);
  Time counts = queue_.now();
  if (place.position < run.spec.size) [[likely]] {  // a switch has no memory and adds at line rate
    const bool local = (token.lane & kLocalBit) != 0;
    counts += local ? run.spec.local_delay : run.spec.endpoint_delay;
    if (reduction_bandwidth_ && (token.lane & kReduceBit) != 0)
      counts += transfer_time(size, *reduction_bandwidth_);
  }

  const auto stage = static_cast<std::int32_t>(token.stage);
  if (stage == lane.stage) [[likely]] {
    lane.ready = std::max(lane.ready, counts);
    DCHECK(lane.missing > 0, "rank {} of run {}: stage {} was complete", place.position, place.run,
           stage);
    if (--lane.missing == 0) complete_stage(run, lane, place);
  } else if (stage == lane.stage + 1) {
    lane.next_ready = std::max(lane.next_ready, counts);
    ++lane.next_arrivals;
  } else {
    CHECK(stage > lane.stage, "rank {} of run {} is at stage {}, a message came for stage {}",
          place.position, place.run, lane.stage, stage);
    Early& early = early_[{place.run, token.position, place.lane, token.stage}];
    if (early.arrivals == 0) ++lane.early;
    ++early.arrivals;
    early.ready = std::max(early.ready, counts);
  }
}

void PlanExecutor::injected(const MessageToken& token, NodeId source) {
  Run& run = runs_[token.owner];
  const bool is_switch = run.spec.plan->switches() > 0 && source == run.spec.switch_node;
  const Position position =
      is_switch ? run.spec.size : run.spec.ranks.member_of(source.value, run.spec.size);
  const Place place{token.owner, position, source_lane(token)};
  Lane& lane = lane_at(run, place);
  lane.sent = std::max(lane.sent, queue_.now());
  if (static_cast<std::int32_t>(token.stage) + 1 < run.ordered) [[unlikely]]
    open_next(run, token, queue_.now());
  if (--lane.unsent > 0) return;
  if (lane.ending) {
    end_lane(place);
  } else if (run.gates && lane.missing == 0 &&
             run.spec.plan->gate(place.position, static_cast<int>(place.lane), lane.stage)
                 .sends_leave) {
    complete_stage(run, lane, place);
  } else if (run.ordered > 0 && std::exchange(turn_at(run, position).held_by_own, false)) {
    wake_at(queue_.now(), run, place);
  }
}

void PlanExecutor::end_lane(const Place& place) {
  Run& run = runs_[place.run];
  Lane& lane = lane_at(run, place);
  lane.ending = true;
  if (lane.unsent > 0) return;  // injected() comes back here
  const Time when = std::max(lane.ready, lane.sent);
  if (when > queue_.now() || starting_) {
    wake_at(std::max(when, queue_.now()), run, place);
    return;
  }
  if (run.lane_count > 1 && --run.open_lanes[index_of(run, place.position)] > 0) return;
  const bool last = --run.unfinished == 0;
  if (place.position < run.spec.size) listener_.run_finished(place.run, place.position, last);
  if (last) free_runs_.push_back(place.run);
}

void PlanExecutor::on_event(std::uint64_t argument) {
  const auto id = static_cast<std::uint32_t>(argument >> kLaneBits);
  const auto index = static_cast<std::uint32_t>(argument & ((1ULL << kLaneBits) - 1));
  Run& run = runs_[id];
  const auto lanes = static_cast<std::uint32_t>(run.lane_count);
  const std::uint32_t participant = lanes == 1 ? index : index / lanes;
  const Place place{id, position_at(run, static_cast<std::int32_t>(participant)),
                    lanes == 1 ? 0 : index % lanes};
  Lane& lane = run.lanes[index];
  if (lane.ending) {
    end_lane(place);
    return;
  }
  // It may have been woken only to look at its gate, or at its turn, again.
  if (run.gates || lane.stage + 1 < run.ordered) {
    complete_stage(run, lane, place);
    return;
  }
  enter_next_stage(run, lane, place);
  if (lane.missing == 0) complete_stage(run, lane, place);
}

std::string PlanExecutor::describe(std::uint32_t id, Position position) const {
  const Run& run = runs_[id];
  for (std::int32_t lane = 0; lane < run.lane_count; ++lane) {
    const Lane& state =
        run.lanes[lane_index(run, {id, position, static_cast<std::uint32_t>(lane)})];
    if (state.stage < 0) return "has not started";
    if (state.missing > 0)
      return fmt::format("is at stage {}, {} of {} messages have not come", state.stage,
                         state.missing, run.spec.plan->stage(position, lane, state.stage).receives);
  }
  return "has received everything";
}

}  // namespace orrery
