#include "system/rank/job_runner.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "system/collective/between_nodes.h"
#include "system/rank/operation_detail.h"
#include "system/rank/taken_processor.h"

namespace orrery {
namespace {

Bytes size_of(const Operation& operation) {
  return std::visit(Overloaded{[](const CollectiveCall& call) { return call.size; },
                               [](const SendCall& call) { return call.size; },
                               [](const ReceiveCall& call) { return call.size; },
                               [](const auto&) { return Bytes{}; }},
                    operation.what);
}

}  // namespace

JobRunner::JobRunner(EventQueue& queue, NetworkBackend& network, const Topology& topology,
                     const SystemSpec& spec, Job& job, const ComputeModel& compute, TraceSink& sink,
                     Folding folding)
    : queue_(queue),
      job_(job),
      topology_(topology),
      spec_(spec),
      compute_(compute),
      ranks_differ_(!compute.why_ranks_differ().empty()),
      sink_(sink),
      endpoints_(make_endpoints(queue, network, topology, spec, sink)),
      processors_(queue, taken_of(spec), job.ranks, *this),
      scheduler_(queue, endpoints_ ? *endpoints_ : network, topology, spec, job.communicators,
                 *this),
      transfers_(queue, endpoints_ ? *endpoints_ : network, topology, spec, *this),
      kinds_(job.labels),
      calls_(job.labels.size()),
      costs_(job.labels.size()) {
  CHECK(job.ranks == topology.npu_count(), "{} ranks on {} NPUs", job.ranks, topology.npu_count());
  for (const GroupFamily& family : scheduler_.recipes().families()) {
    std::int64_t& most = in_node_.emplace_back();
    for (const GroupLayout& layout : family.layouts())
      most = std::max(most, ranks_in_node(topology.levels(), layout.along));
  }
  if (spec.remote_memory) memory_.emplace(*spec.remote_memory, job.ranks);
  choose_fold(network, topology, folding);
  scheduler_.make_ranks(fold_);
  ranks_.resize(simulated_ranks());
  if (!job.lanes.empty()) lanes_.assign(ranks_.size(), RankLanes(job.lanes));
}

void JobRunner::choose_fold(NetworkBackend& network, const Topology& topology, Folding folding) {
  unfolded_because_ = compute_.why_ranks_differ();
  if (folding == Folding::off_for_ties)
    unfolded_because_ = "events of one picosecond are in a random order";
  if (folding == Folding::off) unfolded_because_ = "folding was not asked for";
  if (endpoints_) unfolded_because_ = "what a message costs at its ends is counted rank by rank";
  if (shares_remote_memory()) unfolded_because_ = "ranks take turns at their remote memory";
  if (!unfolded_because_.empty()) return;
  FoldChoice choice = orrery::choose_fold(topology, job_, scheduler_.recipes(), network);
  fold_ = std::move(choice.fold);
  unfolded_because_ = std::move(choice.why_none);
}

void JobRunner::start() {
  for (std::int32_t index = 0; index < simulated_ranks(); ++index) {
    const Rank rank = fold_.representative_at(index);
    RankState& state = ranks_[index];
    state.operations = job_.operations->operation_count(rank);
    state.mark = state.finish = queue_.now();
    state.traffic.resize(kinds_.names().size());
    operations_ += state.operations;
    if (state.operations == 0) continue;
    ++unfinished_ranks_;
    queue_.schedule(job_.start.empty() ? Duration{} : job_.start[rank], [this, rank] {
      std::vector<Operation> ready;
      job_.operations->start(rank, ready);
      accept(rank, ready);
      run_stream(rank);
    });
  }
}

// Takes over what the source has handed out; the caller goes on with the stream.
void JobRunner::accept(Rank rank, std::vector<Operation>& ready) {
  for (Operation& operation : ready) {
    const bool in_stream = std::holds_alternative<Compute>(operation.what) ||
                           std::holds_alternative<Wait>(operation.what);
    if (in_stream && has_lanes(rank))
      lanes_of(rank).add(std::move(operation));
    else if (in_stream)
      state_of(rank).stream.push_back(std::move(operation));
    else {
      name_iteration(operation);
      issue(rank, operation);
    }
  }
}

// Messages of gradients say of which iteration they are.
void JobRunner::name_iteration(Operation& operation) const {
  if (operation.label < 0) return;
  const auto name = [&](TensorPart& part) {
    if (part.way == TensorWay::none) return;
    constexpr std::int32_t most = std::numeric_limits<std::uint8_t>::max();
    part.iteration = static_cast<std::uint8_t>(
        std::clamp(job_.labels[operation.label].iteration, std::int32_t{0}, most));
  };
  std::visit(Overloaded{[&](CollectiveCall& call) { name(call.tensor); },
                        [&](SendCall& call) { name(call.tensor); }, [](auto&) {}},
             operation.what);
}

void JobRunner::issue(Rank rank, const Operation& operation) {
  RankState& state = state_of(rank);
  if (state.outstanding.empty()) {
    if (has_lanes(rank))
      close_lane_interval(rank, doing(rank), nullptr, Time{});
    else if (!state.busy)
      close_dry_interval(rank, operation, Time{});
  }
  note_outstanding(state, operation);
  if (operation.label >= 0) begin_traffic(rank, operation);
  processors_.communication_begins(rank, taken_by(operation));
  std::visit(
      Overloaded{[&](const CollectiveCall& call) {
                   if (operation.label >= 0 && !calls_[operation.label])
                     calls_[operation.label] = scheduler_.report_of(call);
                   scheduler_.call(rank, operation.id, call);
                 },
                 [&](const SendCall& call) { transfers_.send(rank, operation.id, call); },
                 [&](const ReceiveCall& call) { transfers_.receive(rank, operation.id, call); },
                 [](const auto&) {}},
      operation.what);
}

std::int64_t JobRunner::taken_by(const Operation& operation) const {
  const auto* call = std::get_if<CollectiveCall>(&operation.what);
  if (call == nullptr) {
    const auto* send = std::get_if<SendCall>(&operation.what);
    const auto* receive = std::get_if<ReceiveCall>(&operation.what);
    return taken_by_message(
        spec_, (send != nullptr && send->copied) || (receive != nullptr && receive->copied));
  }
  return taken_by_collective(spec_, in_node_[call->communicator], call->size);
}

void JobRunner::note_outstanding(RankState& state, const Operation& operation) {
  Outstanding begun{operation, queue_.now(), Time{}};
  if (spare_entries_.empty()) {
    state.outstanding.try_emplace(operation.id, std::move(begun));
    return;
  }
  OutstandingById::node_type entry = std::move(spare_entries_.back());
  spare_entries_.pop_back();
  entry.key() = operation.id;
  entry.mapped() = std::move(begun);
  state.outstanding.insert(std::move(entry));
}

void JobRunner::begin_traffic(Rank rank, const Operation& operation) {
  RankState& state = state_of(rank);
  const std::int32_t label = operation.label;
  const auto kind =
      static_cast<std::size_t>(kinds_.note(job_.labels[label], label, detail_of(operation)));
  if (state.traffic.size() <= kind) state.traffic.resize(kinds_.names().size());
  TrafficAccount& account = state.traffic[kind];
  account.begins(computed_until_now(rank));
  std::visit(Overloaded{[&](const CollectiveCall& call) {
                          if (costs_[label] == nullptr) costs_[label] = &scheduler_.cost_of(call);
                          account.collectives += *costs_[label];
                        },
                        [&](const SendCall& call) {
                          account.sent +=
                              cost_of_message(rank, call.to, call.size, spec_, topology_);
                        },
                        [&](const ReceiveCall& call) {
                          account.received +=
                              cost_of_message(call.from, rank, call.size, spec_, topology_);
                        },
                        [](const auto&) {}},
             operation.what);
}

// Begins what is at the front of the stream, until something there takes time.
void JobRunner::run_stream(Rank rank) {
  if (has_lanes(rank)) return run_lanes(rank);
  RankState& state = state_of(rank);
  while (!state.busy && !state.stream.empty()) {
    const Operation& front = state.stream.front();
    close_dry_interval(rank, front, Time{});
    state.busy = true;
    if (const auto* work = std::get_if<Compute>(&front.what)) {
      compute(rank, front, *work);
      return;
    }
    if (find_outstanding(state, std::get<Wait>(front.what).operation) != nullptr) return;
    finish_front(rank, kDetailCompute,
                 Time{});  // waited for something that is complete: takes no time
  }
}

Duration JobRunner::time_of(Rank rank, const Operation& operation, const Compute& work) const {
  const std::int32_t iteration = operation.label < 0 ? 0 : job_.labels[operation.label].iteration;
  return compute_.time_on({rank, operation.id, iteration, queue_.now()}, work);
}

void JobRunner::compute(Rank rank, const Operation& operation, const Compute& work) {
  RankState& state = state_of(rank);
  state.computed += work.flops;
  const Duration time = time_of(rank, operation, work);
  state.limit = compute_.limit_of(work);
  state.slowed = ranks_differ_
                     ? std::max(Duration{}, time - compute_.time_without_variation(rank, work))
                     : Duration{};
  processors_.begin(rank, operation.id, time);
}

void JobRunner::work_done(Rank rank, OperationId operation, Duration work, Duration stolen) {
  if (has_lanes(rank)) {
    lane_done(rank, operation, stolen);
    return;
  }
  RankState& state = state_of(rank);
  state.compute += work + stolen;
  state.stolen += stolen;
  const std::int32_t label = state.stream.front().label;
  const bool in_pass = label >= 0 && job_.labels[label].pass != Pass::none;
  ComputeAccount& account = state.computing;
  (in_pass ? account.passes : account.outside)[static_cast<std::size_t>(state.limit)] +=
      work - state.slowed;
  account.slowed += state.slowed;
  finish_front(rank, kDetailCompute, Time{});
  run_stream(rank);
}

// What the rank has computed until now.
Duration JobRunner::computed_until_now(Rank rank) const {
  const RankState& state = state_of(rank);
  if (has_lanes(rank)) {
    const bool works = lanes_of(rank).works(LaneKind::processor);
    return works ? state.compute + (queue_.now() - state.mark) : state.compute;
  }
  const bool computes = state.busy && std::holds_alternative<Compute>(state.stream.front().what);
  return computes ? state.compute + (queue_.now() - state.mark) : state.compute;
}

// The rank has waited since `mark`, for those who take part until `joined`.
void JobRunner::waited(RankState& state, std::int32_t label, Time joined) {
  state.exposed += queue_.now() - state.mark;
  const std::int32_t kind = kinds_.of(label);
  if (kind < 0) return;
  if (std::ssize(state.traffic) <= kind) state.traffic.resize(kinds_.names().size());
  state.traffic[kind].waited(state.mark, queue_.now(), joined);
}

// The front of the stream is done. `detail` says what a Wait waited for, and `joined` when all who
// take part in that had come.
void JobRunner::finish_front(Rank rank, std::uint8_t detail, Time joined) {
  RankState& state = state_of(rank);
  const Operation& front = state.stream.front();
  const OperationId id = front.id;
  const bool is_wait = std::holds_alternative<Wait>(front.what);
  if (is_wait) waited(state, front.label, joined);
  if (!is_wait || queue_.now() > state.mark)
    sink_.on_span({.kind = is_wait ? SpanKind::exposed : SpanKind::compute,
                   .rank = rank,
                   .operation = id,
                   .label = front.label,
                   .detail = detail,
                   .begin = state.mark,
                   .end = queue_.now(),
                   .size = {}});
  state.stream.pop_front();
  state.busy = false;
  state.mark = queue_.now();
  operation_finished(rank, id);
}

// The stream was empty since `mark`: that time was exposed if communication was outstanding (booked
// to `next`, which ends the interval), idle if not.
void JobRunner::close_dry_interval(Rank rank, const Operation& next, Time joined) {
  RankState& state = state_of(rank);
  const Duration dry = queue_.now() - state.mark;
  if (dry > Duration{} && state.outstanding.empty()) state.idle += dry;
  if (dry > Duration{} && !state.outstanding.empty()) {
    waited(state, next.label, joined);
    emit_exposed(rank, next);
  }
  state.mark = queue_.now();
}

// Since `mark` the rank has waited for this.
void JobRunner::emit_exposed(Rank rank, const Operation& waited_for) {
  sink_.on_span({.kind = SpanKind::exposed,
                 .rank = rank,
                 .operation = waited_for.id,
                 .label = waited_for.label,
                 .detail = detail_of(waited_for),
                 .begin = state_of(rank).mark,
                 .end = queue_.now(),
                 .size = {}});
}

void JobRunner::collective_finished(Rank rank, OperationId operation, Time joined) {
  finish_communication(rank, operation, joined);
}

void JobRunner::transfer_finished(Rank rank, OperationId operation, Time sent) {
  finish_communication(rank, operation, sent);
}

void JobRunner::finish_communication(Rank rank, OperationId id, Time joined) {
  RankState& state = state_of(rank);
  const auto outstanding = state.outstanding.find(id);
  CHECK(outstanding != state.outstanding.end(),
        "rank {} finished operation {}, which is not outstanding", rank, id);
  processors_.communication_ends(rank, taken_by(outstanding->second.operation));
  outstanding->second.joined = joined;
  const Operation& operation = outstanding->second.operation;
  if (const std::int32_t kind = kinds_.of(operation.label); kind >= 0)
    state.traffic[kind].ends(computed_until_now(rank));
  sink_.on_span({.kind = SpanKind::collective,
                 .rank = rank,
                 .operation = id,
                 .label = operation.label,
                 .detail = detail_of(operation),
                 .begin = outstanding->second.issued,
                 .end = queue_.now(),
                 .size = size_of(operation)});
  const auto* call = std::get_if<CollectiveCall>(&operation.what);
  if (call != nullptr && call->update > Duration{})
    queue_.schedule(call->update, [this, rank, id] { settle(rank, id); });
  else
    settle(rank, id);
}

// The communication and its update are over: whoever waited for it goes on.
void JobRunner::settle(Rank rank, OperationId id) {
  RankState& state = state_of(rank);
  const auto found = state.outstanding.find(id);
  const Operation& operation = found->second.operation;
  const Time joined = found->second.joined;
  if (has_lanes(rank))
    close_lane_interval(rank, doing(rank), &operation, joined);
  else if (!state.busy)
    close_dry_interval(rank, operation, joined);
  OutstandingById::node_type entry = state.outstanding.extract(found);
  operation_finished(rank, id);
  if (state.busy) {
    const auto* wait = std::get_if<Wait>(&state.stream.front().what);
    if (wait != nullptr && wait->operation == id) finish_front(rank, detail_of(operation), joined);
  }
  spare_entries_.push_back(std::move(entry));
  run_stream(rank);
}

void JobRunner::operation_finished(Rank rank, OperationId id) {
  RankState& state = state_of(rank);
  ++finished_operations_;
  if (++state.finished_operations == state.operations) {
    state.finish = queue_.now();
    --unfinished_ranks_;
    if (finished()) queue_.ask_now();
  }
  std::vector<Operation> ready = std::exchange(spare_list_, {});
  job_.operations->finish(rank, id, ready);
  accept(rank, ready);
  ready.clear();
  spare_list_ = std::move(ready);
}

const JobRunner::Outstanding* JobRunner::find_outstanding(const RankState& state,
                                                          OperationId id) const {
  const auto found = state.outstanding.find(id);
  return found == state.outstanding.end() ? nullptr : &found->second;
}

}  // namespace orrery
