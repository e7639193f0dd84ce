#include "report/sweep_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace orrery {

double quantile(std::vector<double> values, double share) {
  CHECK(!values.empty(), "of no values");
  std::sort(values.begin(), values.end());
  const double rank = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (rank - static_cast<double>(below));
}

Spread spread_of(const std::vector<double>& values) {
  return {quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)};
}

std::vector<bool> pareto_front(std::span<const TwoCosts> costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (costs[a].first != costs[b].first) return costs[a].first < costs[b].first;
    return costs[a].second < costs[b].second;
  });
  std::vector<bool> front(costs.size(), false);
  double lowest = std::numeric_limits<double>::infinity();
  double lowest_first = lowest;  // where it was reached
  for (const std::size_t i : order) {
    const bool is_equal = costs[i].second == lowest && costs[i].first == lowest_first;
    if (costs[i].second >= lowest && !is_equal) continue;
    front[i] = true;
    lowest = costs[i].second;
    lowest_first = costs[i].first;
  }
  return front;
}

std::optional<std::size_t> best_of(std::span<const GridCost> points) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].cost && (!best || std::pair(*points[i].cost, points[i].at) <
                                        std::pair(*points[*best].cost, points[*best].at)))
      best = i;
  return best;
}

std::vector<KeyEffect> effects_about(std::span<const GridCost> points, std::size_t best) {
  const std::vector<std::size_t>& at = points[best].at;
  std::vector<KeyEffect> effects;
  for (std::size_t key = 0; key < at.size(); ++key) {
    KeyEffect effect{.key = key, .least = std::numeric_limits<double>::infinity()};
    for (const GridCost& point : points) {
      bool alone = point.at[key] != at[key];
      for (std::size_t other = 0; other < at.size(); ++other)
        alone = alone && (other == key || point.at[other] == at[other]);
      if (!alone) continue;
      if (!point.cost) {
        ++effect.failed;
        continue;
      }
      const double more = *point.cost - *points[best].cost;
      if (effect.values == 0 || more > effect.most) effect.worst = point.at[key];
      ++effect.values;
      effect.least = std::min(effect.least, more);
      effect.most = std::max(effect.most, more);
    }
    if (effect.values == 0) effect.least = 0;
    if (effect.values + effect.failed > 0) effects.push_back(effect);
  }
  std::stable_sort(effects.begin(), effects.end(),
                   [](const KeyEffect& a, const KeyEffect& b) { return a.most > b.most; });
  return effects;
}

}  // namespace orrery
