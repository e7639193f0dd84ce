#include "simulation/time_part.h"

#include <algorithm>

#include "simulation/memory_fit.h"
#include "simulation/run_result.h"

namespace orrery {

BoundBy bound_of(ComputeLimit limit) {
  switch (limit) {
    case ComputeLimit::memory:
      return BoundBy::memory_bandwidth;
    case ComputeLimit::launch:
      return BoundBy::launches;
    case ComputeLimit::rate:
      break;
  }
  return BoundBy::compute_rate;
}

std::string_view name_of(BoundBy bound) {
  switch (bound) {
    case BoundBy::compute_rate:
      return "compute rate";
    case BoundBy::memory_bandwidth:
      return "memory bandwidth";
    case BoundBy::launches:
      return "kernel launches";
    case BoundBy::slow_ranks:
      return "slow ranks";
    case BoundBy::collectives:
      return "collectives beside it";
    case BoundBy::late_ranks:
      return "late ranks";
    case BoundBy::schedule:
      return "pipeline schedule";
    case BoundBy::bandwidth:
      return "bandwidth";
    case BoundBy::latency:
      return "latency";
    case BoundBy::contention:
      return "contention";
    case BoundBy::slow_receiver:
      return "a slow receiver";
    case BoundBy::endpoints:
      return "endpoints";
    case BoundBy::losses:
      return "losses";
    case BoundBy::timeouts:
      return "timeouts without losses";
    case BoundBy::window:
      return "the window";
    case BoundBy::limits:
      return "limits";
    case BoundBy::dependencies:
      return "messages that wait for others";
    case BoundBy::host:
      return "host";
    case BoundBy::nothing:
      break;
  }
  return "nothing";
}

std::vector<PartDifference> part_differences(const RunResult& here, const RunResult& fastest) {
  std::vector<PartDifference> rows;
  const auto row_of = [&](const TimePart& part) -> PartDifference& {
    const auto found = std::ranges::find_if(rows, [&](const PartDifference& row) {
      return row.part == part.part && row.level == part.level;
    });
    if (found != rows.end()) return *found;
    PartDifference& row = rows.emplace_back();
    row.part = part.part;
    row.level = part.level;
    return row;
  };
  for (const TimePart& part : fastest.why)
    row_of(part).fastest += Duration{part.time.value / iteration_count(fastest)};
  for (const TimePart& part : here.why)
    row_of(part).here += Duration{part.time.value / iteration_count(here)};
  for (PartDifference& row : rows) row.difference = row.here - row.fastest;
  std::erase_if(rows, [](const PartDifference& row) { return row.difference == Duration{}; });
  const auto size = [](const PartDifference& row) {
    return std::max(row.difference, -row.difference);
  };
  std::ranges::stable_sort(rows, std::ranges::greater{}, size);
  return rows;
}

void add_differences(std::vector<RunResult>& results) {
  const RunResult* fastest = nullptr;
  const auto is_better = [&](const RunResult& result) {
    if (fastest == nullptr) return true;
    if (fits_memory(result) != fits_memory(*fastest)) return fits_memory(result);
    return *iteration_time(result) < *iteration_time(*fastest);
  };
  for (const RunResult& result : results)
    if (!result.partial && is_better(result)) fastest = &result;
  for (RunResult& result : results)
    if (!result.partial && &result != fastest)
      result.difference = part_differences(result, *fastest);
}

}  // namespace orrery
