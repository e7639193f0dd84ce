#include "frontends/report/derived.h"

#include <fmt/format.h>

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

double busiest_link(const RunResult& result, const std::string& level) {
  double busiest = 0;
  for (const LinkRow& link : result.links)
    if (link.level == level) busiest = std::max(busiest, link.utilisation);
  return busiest;
}

std::string diagnosis(const RunResult& result) {
  if (result.partial || result.links.empty() || result.finish == Duration{}) return "";
  const auto share = [&](Duration part) {
    return 100 * static_cast<double>(part.value) / static_cast<double>(result.finish.value);
  };
  if (share(result.compute) >= 70)
    return fmt::format("computing takes {:.0f} % of the time, exposed communication {:.1f} %",
                       share(result.compute), share(result.exposed));
  const auto fullest = std::ranges::max_element(result.links, {}, &LinkRow::utilisation);
  const double percent = 100 * fullest->utilisation;
  if (fullest->utilisation >= 0.7)
    return fmt::format("bandwidth: {} is full, {} is busy {:.0f} % of the time", fullest->level,
                       fullest->name(), percent);
  if (result.packets && result.packets->timeouts > 0)
    return fmt::format("lost packets: {} lost, and TCP waited for {} timeouts",
                       result.packets->drops, result.packets->timeouts);
  // Busy as long as ranks waited, and nothing but computing beside it.
  const double waited = static_cast<double>(result.exposed.value) / 1e12;
  const double busy = fullest->utilisation * static_cast<double>(result.finish.value) / 1e12;
  if (share(result.compute) + percent >= 95 && busy >= 0.8 * waited)
    return fmt::format(
        "bandwidth, in phases: {} is busy {:.0f} % of the time and computing takes {:.0f} %, one "
        "after the other: {} is full while they communicate",
        fullest->name(), percent, share(result.compute), fullest->level);
  return fmt::format(
      "not bandwidth: no link is busy more than {:.0f} % of the time; latency, waiting for each "
      "other, "
      "or the limits on what is in flight (chunks, first_phase_limit, queue_limit)",
      percent);
}

std::vector<const LinkRow*> saturated_links(const RunResult& result) {
  std::vector<const LinkRow*> links;
  for (const LinkRow& link : result.links)
    if (link.utilisation >= 0.9) links.push_back(&link);
  std::ranges::stable_sort(links, std::ranges::greater{}, &LinkRow::utilisation);
  return links;
}

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options) {
  const std::span<const LinkRow> all(result.links);
  return options.all_links ? all : all.first(std::min(all.size(), most_links));
}

}  // namespace orrery
