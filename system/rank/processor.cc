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

void Processors::begin(Rank rank, OperationId operation, Duration work) {
  if (states_.empty()) {
    queue_.schedule(
        work, [this, rank, operation, work] { listener_.work_done(rank, operation, work, {}); });
    return;
  }
  const Units units = static_cast<Units>(work.value) * static_cast<Units>(whole_);
  states_[rank].works.push_back({operation, work, queue_.now(), queue_.now(), units, {}});
  schedule_end(rank, states_[rank].works.back());
}

Processors::Units Processors::left_now(const Work& work, std::int64_t rate) const {
  const Units done =
      static_cast<Units>((queue_.now() - work.since).value) * static_cast<Units>(rate);
  return done < work.left ? work.left - done : 0;
}

void Processors::schedule_end(Rank rank, Work& work) {
  const auto per_picosecond = static_cast<Units>(rate(states_[rank]));
  const Units time = (work.left + per_picosecond - 1) / per_picosecond;
  if (time > static_cast<Units>(Time::last().since_start.value)) [[unlikely]]
    units_internal::leave_range(DurationTag::beyond);
  work.end = queue_.schedule_cancellable(
      {static_cast<std::int64_t>(time)},
      [this, rank, operation = work.operation] { end(rank, operation); });
}

void Processors::end(Rank rank, OperationId operation) {
  std::vector<Work>& works = states_[rank].works;
  const auto found = std::ranges::find(works, operation, &Work::operation);
  CHECK(found != works.end(), "rank {} ends work {}, which it does not do", rank, operation);
  const Work done = *found;
  works.erase(found);
  listener_.work_done(rank, operation, done.time, queue_.now() - done.begun - done.time);
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
  auto at =
      std::find_if(all.begin(), all.end(), [&](const UnderWay& one) { return one.part <= part; });
  if (at == all.end() || at->part != part) at = all.insert(at, {part, 0});
  at->count += more;
  if (at->count == 0) all.erase(at);
  if (rate(state) == before) return;
  for (Work& work : state.works) {
    work.left = left_now(work, before);
    work.since = queue_.now();
    queue_.cancel(work.end);
    schedule_end(rank, work);
  }
}

Duration Processors::stolen_so_far(Rank rank) const {
  Duration stolen;
  if (states_.empty()) return stolen;
  const State& state = states_[rank];
  for (const Work& work : state.works) {
    const Units left = left_now(work, rate(state)) / static_cast<Units>(whole_);
    const Duration done = work.time - Duration{static_cast<std::int64_t>(left)};
    const Duration elapsed = queue_.now() - work.begun;
    if (elapsed > done) stolen += elapsed - done;
  }
  return stolen;
}

}  // namespace orrery
