#include "network/packet/tensor_clock.h"

#include <algorithm>

#include "core/units/total.h"

namespace orrery {
namespace {

// Percentiles are times that occurred: the smallest that so many in a hundred do not exceed.
TensorTimes row_of(TensorWay way, std::int16_t layer, std::vector<Duration> times) {
  std::ranges::sort(times);
  TotalTime sum;
  for (const Duration time : times) sum += time;
  const auto percentile = [&](std::size_t percent) {
    return times[(times.size() * percent + 99) / 100 - 1];
  };
  return {.way = way,
          .layer = layer,
          .messages = times.size(),
          .mean = sum.mean(static_cast<std::int64_t>(times.size())),
          .median = percentile(50),
          .p99 = percentile(99),
          .longest = times.back()};
}

}  // namespace

std::vector<TensorTimes> TensorClock::times() const {
  std::vector<TensorTimes> rows;
  std::vector<Duration> all;
  const auto append = [](std::vector<Duration>& to, const std::vector<Duration>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const TensorWay way : {TensorWay::push, TensorWay::pull}) {
    std::vector<Duration> of_way;
    for (const auto& [place, times] : times_) {
      if (place.first != way) continue;
      rows.push_back(row_of(way, place.second, times));
      append(of_way, times);
    }
    append(all, of_way);
    if (!of_way.empty()) rows.push_back(row_of(way, TensorTimes::all_layers, std::move(of_way)));
  }
  if (!all.empty())
    rows.push_back(row_of(TensorWay::none, TensorTimes::all_layers, std::move(all)));
  return rows;
}

}  // namespace orrery
