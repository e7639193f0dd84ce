#include "system/collective/plan_executor.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/check.h"

namespace orrery {
namespace {

// The lane number of a token also says whether the pieces are to be added at the target, and
// whether the message stays within a node whose messages are delayed otherwise.
constexpr std::uint32_t kReduceBit = 1U << 31, kLocalBit = 1U << 30;
constexpr std::uint32_t kLaneMask = kLocalBit - 1;

// Event argument: run in the upper 22 bits, index of the lane in the lower 26.
constexpr int kLaneBits = 26;
constexpr std::uint64_t kRunLimit = 1ULL << (48 - kLaneBits);

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
  run.pieces = PieceSizes(spec.bytes, spec.plan->pieces());
  run.lane_count = spec.plan->lanes();
  run.unfinished = spec.size;
  const std::size_t lanes = static_cast<std::size_t>(spec.size) * run.lane_count;
  CHECK(lanes < (1ULL << kLaneBits), "{} ranks in {} lanes", spec.size, run.lane_count);
  run.lanes.assign(lanes, Lane{});
  run.open_lanes.assign(spec.size, run.lane_count);
  return id;
}

void PlanExecutor::start(std::uint32_t id, Position position) {
  starting_ = true;
  Run& run = runs_[id];
  for (std::int32_t lane = 0; lane < run.lane_count; ++lane) {
    const Place place{id, position, static_cast<std::uint32_t>(lane)};
    Lane& state = lane_at(run, place);
    state.ready = queue_.now();
    state.next = run.spec.plan->stage(position, lane, 0);
    complete_stage(run, state, place);  // stage -1: there is nothing to wait for
  }
  starting_ = false;
}

// All arrivals of the present stage are noted: goes on, as far as time and early arrivals allow.
// The references stay valid, because nothing that is called here opens a run, but for the end of
// the lane.
void PlanExecutor::complete_stage(Run& run, Lane& lane, const Place& place) {
  do {
    if (lane.last) {
      end_lane(place);
      return;
    }
    const Time when =
        lane.next.sends > 0 ? lane.ready + delay_of_sends(run, lane, place) : lane.ready;
    if (when > queue_.now()) {
      wake_at(when, run, place);
      return;
    }
    enter_next_stage(run, lane, place);
  } while (lane.missing == 0);
}

void PlanExecutor::enter_next_stage(Run& run, Lane& lane, const Place& place) {
  const Stage stage = lane.next;
  ++lane.stage;
  lane.last = stage.last;
  lane.missing = stage.receives - lane.next_arrivals;
  lane.ready = std::max(queue_.now(), lane.next_ready);
  lane.next_arrivals = 0;
  lane.next_ready = Time{};
  if (!early_.empty()) [[unlikely]]
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
}

// Of the next stage.
Duration PlanExecutor::delay_of_sends(const Run& run, const Lane& lane, const Place& place) const {
  const RunSpec& spec = run.spec;
  if (spec.ranks_of_node == 0) [[likely]]
    return spec.endpoint_delay;
  Duration delay;
  for (std::int32_t i = 0; i < lane.next.sends; ++i) {
    const Send send =
        spec.plan->send(place.position, static_cast<int>(place.lane), lane.stage + 1, i);
    const bool local = stays_local(spec, spec.ranks.at(place.position), spec.ranks.at(send.to));
    delay = std::max(delay, local ? spec.local_delay : spec.endpoint_delay);
  }
  return delay;
}

void PlanExecutor::post_sends(Run& run, Lane& lane, const Place& place, std::int32_t count) {
  const RunSpec& spec = run.spec;
  const Rank source = spec.ranks.at(place.position);
  for (std::int32_t i = 0; i < count; ++i) {
    const Send send = spec.plan->send(place.position, static_cast<int>(place.lane), lane.stage, i);
    const Rank target = spec.ranks.at(send.to);
    const bool local = spec.ranks_of_node > 0 && stays_local(spec, source, target);
    const Message message{
        .source = {source},
        .target = {target},
        .size = run.pieces.size(send.pieces),
        .token = {.owner = place.run,
                  .position = static_cast<std::uint32_t>(send.to),
                  .lane = place.lane | (send.reduce ? kReduceBit : 0) | (local ? kLocalBit : 0),
                  .stage = static_cast<std::uint32_t>(send.stage)},
        .traffic_class = spec.traffic_class,
        .label = spec.label};
    const std::optional<Time> sent = network_.send(message, *this);
    if (sent)
      lane.sent = std::max(lane.sent, *sent);
    else
      ++lane.unsent;
  }
}

void PlanExecutor::delivered(const MessageToken& token, Bytes size) {
  const Place place{token.owner, static_cast<Position>(token.position), token.lane & kLaneMask};
  Run& run = runs_[place.run];
  Lane& lane = lane_at(run, place);
  const bool local = (token.lane & kLocalBit) != 0;
  Time counts = queue_.now() + (local ? run.spec.local_delay : run.spec.endpoint_delay);
  if (reduction_bandwidth_ && (token.lane & kReduceBit) != 0)
    counts += transfer_time(size, *reduction_bandwidth_);

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
    ++early.arrivals;
    early.ready = std::max(early.ready, counts);
  }
}

void PlanExecutor::injected(const MessageToken& token, NodeId source) {
  Run& run = runs_[token.owner];
  const Place place{token.owner, run.spec.ranks.member_of(source.value, run.spec.size),
                    token.lane & kLaneMask};
  Lane& lane = lane_at(run, place);
  lane.sent = std::max(lane.sent, queue_.now());
  if (--lane.unsent == 0 && lane.ending) end_lane(place);
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
  if (--run.open_lanes[place.position] > 0) return;
  const bool last = --run.unfinished == 0;
  listener_.run_finished(place.run, place.position, last);
  if (last) free_runs_.push_back(place.run);
}

void PlanExecutor::wake_at(Time when, const Run& run, const Place& place) {
  const std::uint64_t index =
      static_cast<std::uint64_t>(place.position) * run.lane_count + place.lane;
  queue_.schedule_at(when, handler_, (static_cast<std::uint64_t>(place.run) << kLaneBits) | index);
}

void PlanExecutor::on_event(std::uint64_t argument) {
  const auto id = static_cast<std::uint32_t>(argument >> kLaneBits);
  const auto index = static_cast<std::uint32_t>(argument & ((1ULL << kLaneBits) - 1));
  Run& run = runs_[id];
  const auto lanes = static_cast<std::uint32_t>(run.lane_count);
  const Place place = lanes == 1 ? Place{id, static_cast<Position>(index), 0}
                                 : Place{id, static_cast<Position>(index / lanes), index % lanes};
  Lane& lane = run.lanes[index];
  if (lane.ending) {
    end_lane(place);
    return;
  }
  enter_next_stage(run, lane, place);
  if (lane.missing == 0) complete_stage(run, lane, place);
}

std::string PlanExecutor::describe(std::uint32_t id, Position position) const {
  const Run& run = runs_[id];
  for (std::int32_t lane = 0; lane < run.lane_count; ++lane) {
    const Lane& state = run.lanes[static_cast<std::size_t>(position) * run.lane_count + lane];
    if (state.stage < 0) return "has not started";
    if (state.missing > 0)
      return fmt::format("is at stage {}, {} of {} messages have not come", state.stage,
                         state.missing, run.spec.plan->stage(position, lane, state.stage).receives);
  }
  return "has received everything";
}

}  // namespace orrery
