// Order statistics and comparisons of results, for the report of a sweep.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace orrery {

// Between the neighbours of rank share * (n - 1), in proportion: the median of 1, 2, 4, 8 is 3.
// REQUIRES: at least one value, 0 <= share <= 1.
double quantile(std::vector<double> values, double share);

struct Spread {
  double low, median, high;  // 10 %, 50 %, 90 %
};
Spread spread_of(const std::vector<double>& values);

struct TwoCosts {
  double first, second;
};
// Those that no other one beats: not worse in both and better in one. Of equal ones all are in it.
std::vector<bool> pareto_front(std::span<const TwoCosts> costs);

// What a point of a grid costs; nothing if it failed. `at` has an index for each key.
struct GridCost {
  std::vector<std::size_t> at;
  std::optional<double> cost;
};

// One key alone changes from its value at the best point: the least and the most that it costs
// more, over the other values that have a result.
struct KeyEffect {
  std::size_t key;
  double least = 0, most = 0;
  std::size_t worst = 0;               // the value that costs most
  std::size_t values = 0, failed = 0;  // other values with a result, and without one
};

// The one of the lowest cost, of equal ones that with the first values; nothing if all failed.
std::optional<std::size_t> best_of(std::span<const GridCost> points);
// Sorted, the largest effect first; keys without another value at the best point are left out.
std::vector<KeyEffect> effects_about(std::span<const GridCost> points, std::size_t best);

}  // namespace orrery
