#include "frontends/report/derived.h"

#include <algorithm>

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

std::vector<std::optional<double>> ratios_to_fastest(std::span<const RunResult> results) {
  std::optional<Duration> fastest;
  for (const RunResult& result : results) {
    const std::optional<Duration> time = iteration_time(result);
    if (time && (!fastest || *time < *fastest)) fastest = time;
  }
  std::vector<std::optional<double>> ratios(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::optional<Duration> time = iteration_time(results[i]);
    if (!time || *fastest == Duration{}) continue;
    ratios[i] = static_cast<double>(time->value) / static_cast<double>(fastest->value);
  }
  return ratios;
}

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options) {
  const std::span<const LinkRow> all(result.links);
  return options.all_links ? all : all.first(std::min(all.size(), most_links));
}

}  // namespace orrery
