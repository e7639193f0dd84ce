#include "system/rank/processor.h"

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

Processors::Processors(EventQueue& queue, std::int64_t whole, std::int32_t ranks,
                       ProcessorListener& listener)
    : queue_(queue), listener_(listener), whole_(whole) {
  CHECK(whole >= 0, "communication takes parts of {}", whole);
  if (whole > 0) states_.resize(ranks);
}

void Processors::begin(Rank rank, Duration work) {
  if (states_.empty()) {
    queue_.schedule(work, [this, rank, work] { listener_.work_done(rank, work, {}); });
    return;
  }
  State& state = states_[rank];
  DCHECK(!state.working, "rank {} has work", rank);
  state.working = true;
  state.work = work;
  state.begun = state.since = queue_.now();
  state.left = static_cast<Units>(work.value) * static_cast<Units>(whole_);
  schedule_end(rank);
}

Processors::Units Processors::left_now(const State& state) const {
  const Units done =
      static_cast<Units>((queue_.now() - state.since).value) * static_cast<Units>(rate(state));
  return done < state.left ? state.left - done : 0;
}

void Processors::schedule_end(Rank rank) {
  State& state = states_[rank];
  const auto per_picosecond = static_cast<Units>(rate(state));
  const Units time = (state.left + per_picosecond - 1) / per_picosecond;
  if (time > static_cast<Units>(Time::last().since_start.value)) [[unlikely]]
    units_internal::leave_range(DurationTag::beyond);
  state.end = queue_.schedule_cancellable({static_cast<std::int64_t>(time)}, [this, rank] {
    State& done = states_[rank];
    done.working = false;
    listener_.work_done(rank, done.work, queue_.now() - done.begun - done.work);
  });
}

void Processors::communication_begins(Rank rank, std::int64_t part) {
  if (!states_.empty() && part > 0) change(rank, part, 1);
}

void Processors::communication_ends(Rank rank, std::int64_t part) {
  if (!states_.empty() && part > 0) change(rank, part, -1);
}

void Processors::change(Rank rank, std::int64_t part, std::int32_t more) {
  CHECK(part < whole_, "communication takes {} of {}", part, whole_);
  State& state = states_[rank];
  auto& all = state.communications;
  const std::int64_t before = rate(state);
  const Units left = state.working ? left_now(state) : 0;
  auto at =
      std::find_if(all.begin(), all.end(), [&](const UnderWay& one) { return one.part <= part; });
  if (at == all.end() || at->part != part) at = all.insert(at, {part, 0});
  at->count += more;
  if (at->count == 0) all.erase(at);
  if (!state.working || rate(state) == before) return;
  state.left = left;
  state.since = queue_.now();
  queue_.cancel(state.end);
  schedule_end(rank);
}

Duration Processors::stolen_so_far(Rank rank) const {
  if (states_.empty() || !states_[rank].working) return {};
  const State& state = states_[rank];
  const auto left = static_cast<std::int64_t>(left_now(state) / static_cast<Units>(whole_));
  const Duration done = state.work - Duration{left};
  const Duration elapsed = queue_.now() - state.begun;
  return elapsed > done ? elapsed - done : Duration{};
}

}  // namespace orrery
