// What a runner tells about a job while it runs or after it got stuck.
#include <fmt/format.h>

#include "core/units/unit_text.h"
#include "system/rank/job_runner.h"
#include "system/rank/operation_detail.h"

namespace orrery {

void JobRunner::emit_open_spans() {
  for (std::int32_t index = 0; index < simulated_ranks(); ++index) {
    const Rank rank = fold_.representative_at(index);
    const RankState& state = ranks_[index];
    if (has_lanes(rank)) {
      emit_open_lanes(rank);
      continue;
    }
    if (state.finished_operations == state.operations || queue_.now() == state.mark) continue;
    if (!state.busy && state.outstanding.empty()) continue;  // idle
    const Operation& open =
        state.busy ? state.stream.front() : state.outstanding.begin()->second.operation;
    const bool computes = state.busy && std::holds_alternative<Compute>(open.what);
    const auto* wait = std::get_if<Wait>(&open.what);
    const Outstanding* waited =
        wait == nullptr ? nullptr : find_outstanding(state, wait->operation);
    sink_.on_span({.kind = computes ? SpanKind::compute : SpanKind::exposed,
                   .rank = rank,
                   .operation = open.id,
                   .label = open.label,
                   .detail = detail_of(waited == nullptr ? open : waited->operation),
                   .begin = state.mark,
                   .end = queue_.now(),
                   .size = {}});
  }
}

std::vector<std::string> JobRunner::unreceived() const { return transfers_.unreceived(); }

double JobRunner::progress() const {
  if (operations_ == 0) return 1;
  return static_cast<double>(finished_operations_) / static_cast<double>(operations_);
}

RankAccount JobRunner::account(Rank rank) const {
  const RankState& state = state_of(rank);
  RankAccount account{state.finish, state.compute, state.exposed, state.idle, {},
                      {},           state.stolen,  state.computed};
  if (has_lanes(rank)) {
    account.memory = lanes_of(rank).memory;
    account.host = lanes_of(rank).host;
  }
  if (state.finished_operations < state.operations) add_open_interval(rank, account);
  return account;
}

void JobRunner::add_open_interval(Rank rank, RankAccount& account) const {
  const RankState& state = state_of(rank);
  account.finish = queue_.now();
  account.stolen += processors_.stolen_so_far(rank);
  const Duration open = queue_.now() - state.mark;
  if (has_lanes(rank)) {
    add_to_account(doing(rank), open, account);
  } else if (state.busy && std::holds_alternative<Compute>(state.stream.front().what)) {
    account.compute += open;
  } else if (state.busy || !state.outstanding.empty()) {
    account.exposed += open;
  } else {
    account.idle += open;
  }
}

std::string JobRunner::describe(Rank rank, const Operation& operation) const {
  const std::string label =
      operation.label < 0 ? "" : fmt::format(" '{}'", job_.labels[operation.label].layer);
  return std::visit(
      Overloaded{[&](const CollectiveCall& call) {
                   return fmt::format("{}{} of {}: {}", name_of(call.kind), label,
                                      to_text(call.size), scheduler_.describe(rank, operation.id));
                 },
                 [&](const ReceiveCall& call) {
                   return fmt::format("receive{} of {} from rank {}: {}", label, to_text(call.size),
                                      call.from, transfers_.describe_receive(rank, call));
                 },
                 [&](const SendCall& call) {
                   return fmt::format("send{} of {} to rank {}", label, to_text(call.size),
                                      call.to);
                 },
                 [](const auto&) { return std::string("its own work"); }},
      operation.what);
}

std::string JobRunner::describe_stuck(int most) const {
  std::string report;
  int told = 0;
  for (std::int32_t index = 0; index < simulated_ranks() && told < most; ++index) {
    const Rank rank = fold_.representative_at(index);
    const RankState& state = ranks_[index];
    if (state.finished_operations == state.operations) continue;
    ++told;
    const Wait* wait = state.busy ? std::get_if<Wait>(&state.stream.front().what) : nullptr;
    const Outstanding* blocker =
        wait != nullptr ? find_outstanding(state, wait->operation) : nullptr;
    if (blocker == nullptr && !state.outstanding.empty())
      blocker = &state.outstanding.begin()->second;
    report += fmt::format("  rank {} waits for {}\n", rank,
                          blocker != nullptr ? describe(rank, blocker->operation)
                                             : "an operation that nothing releases");
  }
  if (unfinished_ranks_ > told)
    report += fmt::format("  and {} more ranks\n", unfinished_ranks_ - told);
  return report;
}

}  // namespace orrery
