#include "simulation/sinks/link_activity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t most_links = 10;

// 64 MiB of them at most, but always some.
std::int64_t bins_for(std::size_t links) {
  std::int64_t bins = 256;
  while (bins > 16 && static_cast<std::size_t>(bins) * links > std::size_t{1} << 23) bins /= 2;
  return bins;
}

// Doubles to 1 us, as where levels begin, so that long runs have both in the same intervals.
constexpr Duration first_width = picoseconds(microseconds(1).value / 64);

}  // namespace

LinkActivity::LinkActivity(const Topology& topology)
    : topology_(topology),
      bins_(topology.links().size(), bins_for(topology.links().size()), first_width) {}

std::vector<LinkActivityRow> LinkActivity::rows() const {
  std::vector<std::pair<double, std::size_t>> busiest;  // seconds that its bytes take
  for (std::size_t link = 0; link < bins_.row_count(); ++link) {
    const auto bins = bins_.row(link);
    const TotalBytes sum = std::accumulate(bins.begin(), bins.end(), TotalBytes());
    if (sum > TotalBytes())
      busiest.emplace_back(
          sum.as_double() / static_cast<double>(topology_.links()[link].bandwidth.value), link);
  }
  std::ranges::stable_sort(busiest, [](const auto& a, const auto& b) { return a.first > b.first; });
  busiest.resize(std::min(busiest.size(), most_links));

  std::vector<LinkActivityRow> rows;
  for (const auto& [seconds, index] : busiest) {
    const Link& link = topology_.links()[index];
    const double most = static_cast<double>(link.bandwidth.value) *
                        static_cast<double>(bins_.width().value) * 1e-12;
    const auto bins = bins_.row(index);
    for (std::size_t i = 0; i < bins.size(); ++i)
      rows.push_back({topology_.node_name(link.from), topology_.node_name(link.to),
                      topology_.levels()[link.level].name, bins_.begin_of(i), bins_.end_of(i),
                      bins[i], bins[i].as_double() / most});
  }
  return rows;
}

}  // namespace orrery
