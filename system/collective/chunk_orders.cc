#include "system/collective/chunk_orders.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"

namespace orrery {
namespace {

// Adds what a chunk that passes the dimensions in this order needs on each.
void add_load(const DimensionOrder& order, Collective kind, Bytes chunk,
              std::span<const DimensionRate> dimensions, std::vector<Duration>& loads) {
  const std::int64_t halves = kind == Collective::all_reduce ? 2 : 1;
  Bytes buffer = chunk;
  for (const int dimension : order) {
    const auto& [size, rate] = dimensions[dimension];
    const Bytes left{buffer.value / size};
    loads[dimension] += transfer_time((buffer - left) * halves, rate);
    buffer = left;
  }
}

std::vector<std::int32_t> balanced(const std::vector<DimensionOrder>& orders, Collective kind,
                                   const PieceSizes& sizes, std::int32_t chunks,
                                   std::span<const DimensionRate> dimensions) {
  std::vector<std::int32_t> chosen;
  std::vector<Duration> loads(dimensions.size());
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
    DimensionOrder order(dimensions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return loads[a] < loads[b]; });
    auto found = std::find(orders.begin(), orders.end(), order);
    if (found == orders.end())  // of many dimensions only some orders are at hand
      found = std::find_if(orders.begin(), orders.end(),
                           [&](const DimensionOrder& one) { return one.front() == order.front(); });
    chosen.push_back(static_cast<std::int32_t>(found - orders.begin()));
    add_load(*found, kind, sizes.size(chunk), dimensions, loads);
  }
  return chosen;
}

}  // namespace

std::vector<std::int32_t> orders_of_chunks(Collective kind, HierarchicalSchedule schedule,
                                           Bytes size, std::int32_t chunks,
                                           std::span<const DimensionRate> dimensions) {
  const auto orders = orders_of(schedule, static_cast<int>(dimensions.size()));
  if (schedule == HierarchicalSchedule::themis) {
    const bool balances = kind == Collective::all_reduce || kind == Collective::reduce_scatter ||
                          kind == Collective::all_gather;
    if (!balances) return std::vector<std::int32_t>(static_cast<std::size_t>(chunks), 0);
    return balanced(orders, kind, PieceSizes(size, chunks), chunks, dimensions);
  }
  std::vector<std::int32_t> in_turn;
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
    in_turn.push_back(chunk % static_cast<std::int32_t>(orders.size()));
  return in_turn;
}

std::vector<std::int32_t> chunk_counts_tried(HierarchicalSchedule schedule, int dimensions,
                                             std::int32_t most, std::int32_t most_in_orders) {
  constexpr std::int32_t fewest_of_themis = 8;
  const auto orders = static_cast<std::int32_t>(orders_of(schedule, dimensions).size());
  std::set<std::int32_t> counts;
  const std::int32_t last = orders > 1 ? most_in_orders : most;
  for (std::int32_t count = orders; count <= last; count *= 2) counts.insert(count);
  if (schedule == HierarchicalSchedule::themis)
    for (std::int32_t count = fewest_of_themis; count <= last; count *= 2) counts.insert(count);
  return {counts.begin(), counts.end()};
}

}  // namespace orrery
