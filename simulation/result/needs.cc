#include "simulation/result/needs.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace orrery {

std::vector<Needs> needs_of(const TrafficAccount& account) {
  const auto total = [](const CommunicationCost& cost) {
    TotalTime time;
    for (const auto& level : cost.levels()) time += level.carried + level.latency;
    return time;
  };
  CommunicationCost cost = account.collectives;
  cost += total(account.received) < total(account.sent) ? account.sent : account.received;
  std::vector<Needs> needs;
  for (std::size_t level = 0; level < cost.levels().size(); ++level) {
    const auto& on = cost.levels()[level];
    if (on.carried + on.latency > TotalTime())
      needs.push_back({static_cast<int>(level), on.carried.as_double(), on.latency.as_double()});
  }
  return needs;
}

void fill(std::vector<Needs>& levels, double& left, double Needs::*need) {
  std::ranges::stable_sort(levels, std::ranges::greater{}, need);
  for (Needs& level : levels) {
    level.*need = std::min(level.*need, left);
    left -= level.*need;
  }
}

}  // namespace orrery
