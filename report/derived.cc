#include "report/derived.h"

#include <algorithm>

namespace orrery {

std::size_t shown_count(std::size_t all, const ReportOptions& options) {
  return options.all_links ? all : std::min(all, most_links);
}

double busiest_link(const RunResult& result, const std::string& level) {
  double busiest = 0;
  for (const LinkRow& link : result.links)
    if (link.level == level) busiest = std::max(busiest, link.utilisation);
  return busiest;
}

std::vector<const LinkRow*> saturated_links(const RunResult& result) {
  std::vector<const LinkRow*> links;
  for (const LinkRow& link : result.links)
    if (link.utilisation >= 0.9) links.push_back(&link);
  std::ranges::stable_sort(links, std::ranges::greater{}, &LinkRow::utilisation);
  return links;
}

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options) {
  return std::span(result.links).first(shown_count(result.links.size(), options));
}

}  // namespace orrery
