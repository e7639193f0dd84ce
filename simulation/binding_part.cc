#include "simulation/binding_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace orrery {

namespace {

constexpr std::int64_t considerable = 50;  // a fiftieth of the time

bool is_computed(const TimePart& part) {
  switch (part.bound_by) {
    case BoundBy::compute_rate:
    case BoundBy::memory_bandwidth:
    case BoundBy::launches:
    case BoundBy::slow_ranks:
    case BoundBy::collectives:
      return true;
    default:
      return false;
  }
}

Duration most_gained_beside(const RunResult& result) { return result.finish - result.bound; }

// No part waits for the level that carries longest, as that goes on beside computing. Twice as
// fast, computing gains half of its time, unless the level leaves less than that.
void name_level_beside(RunResult& result) {
  const Duration most = most_gained_beside(result);
  if (most < Duration{} ||
      std::ranges::find(result.levels, result.bound_by, &LevelRow::name) == result.levels.end())
    return;
  for (TimePart& part : result.why) {
    if (part.bound_by != BoundBy::compute_rate || part.part == "optimizer" ||
        part.time < most * 2)  // half of it can be gained
      continue;
    part.beside = result.bound_by;
    part.knob = fmt::format(
        "a faster processor with more bandwidth on {0}; {0} carries for {1:.0f} % of the time",
        result.bound_by,
        100 * static_cast<double>(result.bound.value) / static_cast<double>(result.finish.value));
  }
}

}  // namespace

const TimePart* binding_part(const RunResult& result) {
  const Duration most = most_gained_beside(result);
  if (most < Duration{}) return nullptr;
  const TimePart* longest = nullptr;
  Duration computed;
  for (const TimePart& part : result.why) {
    if (is_computed(part)) computed += part.time;
    const bool is_there = part.level == result.bound_by || part.held_by == result.bound_by;
    if (is_there && part.bound_by == BoundBy::bandwidth && part.time > most &&
        (longest == nullptr || part.time > longest->time))
      longest = &part;
  }
  const bool overlaps = computed - most > Duration{result.finish.value / considerable};
  return overlaps ? longest : nullptr;
}

void put_binding_part_first(RunResult& result) {
  const TimePart* binding = binding_part(result);
  if (binding == nullptr) return name_level_beside(result);
  const Duration most = most_gained_beside(result);
  const std::string limit =
      fmt::format("; at most {:.1f} % is gained, as {} carries for the rest of the time",
                  100 * static_cast<double>(most.value) / static_cast<double>(result.finish.value),
                  result.bound_by);
  for (TimePart& part : result.why)
    if (is_computed(part) && part.time > most && !part.knob.empty()) part.knob += limit;
  const auto first = result.why.begin() + (binding - result.why.data());
  std::rotate(result.why.begin(), first, first + 1);
}

void put_full_link_first(RunResult& result) {
  const TimePart& first = result.why.front();
  const auto full = std::ranges::find_if(result.why, [&](const TimePart& part) {
    return part.bound_by == BoundBy::contention && part.part == first.part &&
           part.knob == first.knob && part.knob.starts_with("network.routing.policy: spray");
  });
  if (full != result.why.end()) std::rotate(result.why.begin(), full, full + 1);
}

}  // namespace orrery
