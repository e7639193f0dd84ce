#include "system/compute/roofline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "system/compute/variation.h"

namespace orrery {

namespace {

bool by_shape(const TimedProduct& a, const TimedProduct& b) { return a.shape < b.shape; }

// The operations, and what costs as many.
Flops with_ends_of_blocks(Flops flops, std::int64_t keys, std::int64_t half_length) {
  if (keys == 0) return flops;
  return {flops.value + flops.value / keys * half_length + flops.value % keys * half_length / keys};
}

double slowest_of(Share spread, std::int32_t ranks) {
  if (spread.part == 0) return 1;
  return 1 + static_cast<double>(spread.part) / static_cast<double>(spread.whole) *
                 mean_largest_normal(ranks);
}

}  // namespace

Roofline::Roofline(RooflineSpec spec)
    : spec_(std::move(spec)), slower_(slowest_of(spec_.efficiency.spread, spec_.ranks)) {
  std::sort(spec_.efficiency.products.begin(), spec_.efficiency.products.end(), by_shape);
}

Roofline::Limits Roofline::limits_of(const Compute& work) const {
  const EfficiencySpec& efficiency = spec_.efficiency;
  Limits limits;
  if (work.flops > Flops{}) {
    CHECK(spec_.peak > FlopRate{}, "{} FLOP to compute, and no peak", work.flops.value);
    const bool attends = work.kernel == Kernel::attention;
    const Flops flops =
        attends ? with_ends_of_blocks(work.flops, work.keys, efficiency.attention_half_length)
                : work.flops;
    limits.rate = compute_time(whole_of(flops, attends ? efficiency.attention : efficiency.matrix),
                               spec_.peak);
    if (efficiency.results) limits.rate += transfer_time(work.result, *efficiency.results);
    if (slower_ > 1) limits.rate = {std::llround(static_cast<double>(limits.rate.value) * slower_)};
  }
  if (spec_.memory_bandwidth && work.memory_traffic > Bytes{})
    limits.memory =
        transfer_time(whole_of(work.memory_traffic, efficiency.memory), *spec_.memory_bandwidth);
  return limits;
}

// The entry of its shape; null if there is none.
const TimedProduct* Roofline::timed(const Compute& work) const {
  if (work.shape == MatrixShape{}) return nullptr;
  const auto& products = spec_.efficiency.products;
  const TimedProduct sought{work.shape, {}};
  const auto found = std::lower_bound(products.begin(), products.end(), sought, by_shape);
  return found != products.end() && found->shape == work.shape ? &*found : nullptr;
}

Duration Roofline::time_of(const Compute& work) const {
  if (work.measured)
    return {work.measured->value / spec_.measured_speed +
            (work.measured->value % spec_.measured_speed == 0 ? 0 : 1)};
  if (const TimedProduct* product = timed(work)) return product->time;
  const Limits limits = limits_of(work);
  const Duration time = std::max(limits.rate, limits.memory);
  if (time == Duration{}) return time;
  return std::max(spec_.efficiency.issue, spec_.efficiency.launch + time);
}

ComputeLimit Roofline::limit_of(const Compute& work) const {
  if (work.measured || timed(work) != nullptr) return ComputeLimit::rate;
  const Limits limits = limits_of(work);
  if (std::max(limits.rate, limits.memory) * 2 < time_of(work)) return ComputeLimit::launch;
  return limits.memory > limits.rate ? ComputeLimit::memory : ComputeLimit::rate;
}

}  // namespace orrery
