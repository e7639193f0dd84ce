#include "simulation/run_result.h"

#include <algorithm>
#include <cmath>

#include "simulation/memory_fit.h"

namespace orrery {

std::int64_t rank_count(const RunResult& result) {
  std::int64_t count = 0;
  for (const RankRow& row : result.ranks) count += row.multiplicity;
  return count;
}

std::int32_t iteration_count(const RunResult& result) {
  std::int32_t count = 1;
  for (const LayerRow& row : result.layers) count = std::max(count, row.iteration);
  return count;
}

std::optional<Duration> iteration_time(const RunResult& result) {
  if (result.partial) return std::nullopt;
  return Duration{result.finish.value / iteration_count(result)};
}

std::optional<Duration> iteration_with_rounds(const RunResult& result) {
  const std::optional<Duration> time = iteration_time(result);
  if (!time || !result.packets || !result.packets->undelivered ||
      !result.packets->undelivered->rounds)
    return std::nullopt;
  return Duration{static_cast<std::int64_t>(
      std::llround(static_cast<double>(time->value) * *result.packets->undelivered->rounds))};
}

std::optional<double> ratio_to_fastest(const RunResult& result, std::span<const RunResult> all) {
  // What does not fit into memory cannot be run: it is the fastest only if nothing fits.
  const bool any_fits = std::ranges::any_of(
      all, [](const RunResult& other) { return iteration_time(other) && fits_memory(other); });
  std::optional<Duration> fastest;
  for (const RunResult& other : all) {
    if (any_fits && !fits_memory(other)) continue;
    const std::optional<Duration> time = iteration_time(other);
    if (time && (!fastest || *time < *fastest)) fastest = time;
  }
  const std::optional<Duration> time = iteration_time(result);
  if (!time || !fastest || *fastest == Duration{}) return std::nullopt;
  return static_cast<double>(time->value) / static_cast<double>(fastest->value);
}

std::optional<bool> is_as_fast_as_the_fastest(const RunResult& result,
                                              std::span<const RunResult> all) {
  const auto fastest = std::ranges::find_if(
      all, [&](const RunResult& other) { return ratio_to_fastest(other, all) == 1.0; });
  if (fastest == all.end() || &*fastest == &result || !ratio_to_fastest(result, all))
    return std::nullopt;
  if (!result.over_ties || !fastest->over_ties) return std::nullopt;
  // As iteration times: the runs may have different numbers of iterations.
  const auto each = [](const RunResult& one) {
    const std::int32_t iterations = iteration_count(one);
    return TieRange{one.over_ties->orders, Duration{one.over_ties->least.value / iterations},
                    Duration{one.over_ties->most.value / iterations}};
  };
  return each(result).overlaps(each(*fastest));
}

}  // namespace orrery
