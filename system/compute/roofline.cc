#include "system/compute/roofline.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace orrery {

namespace {

bool by_shape(const TimedProduct& a, const TimedProduct& b) { return a.shape < b.shape; }

}  // namespace

Roofline::Roofline(RooflineSpec spec) : spec_(std::move(spec)) {
  std::sort(spec_.efficiency.products.begin(), spec_.efficiency.products.end(), by_shape);
}

Duration Roofline::at_the_limits(const Compute& work) const {
  const EfficiencySpec& efficiency = spec_.efficiency;
  Duration time;
  if (work.flops > Flops{}) {
    CHECK(spec_.peak > FlopRate{}, "{} FLOP to compute, and no peak", work.flops.value);
    const Share share = work.kernel == Kernel::attention ? efficiency.attention : efficiency.matrix;
    time = compute_time(whole_of(work.flops, share), spec_.peak);
  }
  if (spec_.memory_bandwidth && work.memory_traffic > Bytes{})
    time = std::max(time, transfer_time(whole_of(work.memory_traffic, efficiency.memory),
                                        *spec_.memory_bandwidth));
  return time;
}

Duration Roofline::time_of(const Compute& work) const {
  if (work.measured) return *work.measured;
  const EfficiencySpec& efficiency = spec_.efficiency;
  if (work.shape != MatrixShape{}) {
    const TimedProduct sought{work.shape, {}};
    const auto found =
        std::lower_bound(efficiency.products.begin(), efficiency.products.end(), sought, by_shape);
    if (found != efficiency.products.end() && found->shape == work.shape) return found->time;
  }
  const Duration time = at_the_limits(work);
  if (time == Duration{}) return time;
  return std::max(efficiency.issue, efficiency.launch + time);
}

}  // namespace orrery
