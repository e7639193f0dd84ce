#include "simulation/devices.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

namespace orrery {

Devices::Devices(const Experiment& experiment, std::int32_t ranks) {
  const auto* several = std::get_if<JobsSpec>(&experiment.workload.what);
  std::set<std::int32_t, std::greater<>> sizes;
  if (several != nullptr)
    for (const PlacedWorkload& job : several->jobs)
      sizes.insert(static_cast<std::int32_t>(job.npus.size()));
  if (sizes.empty()) sizes.insert(ranks);
  for (const std::int32_t size : sizes) devices_.emplace_back(experiment.npu.roofline(size));
  if (sizes.size() == 1) return;
  of_rank_.resize(static_cast<std::size_t>(ranks));
  for (const PlacedWorkload& job : several->jobs) {
    const auto size = sizes.find(static_cast<std::int32_t>(job.npus.size()));
    for (const Rank rank : job.npus)
      of_rank_[static_cast<std::size_t>(rank)] =
          static_cast<std::uint32_t>(std::distance(sizes.begin(), size));
  }
}

}  // namespace orrery
