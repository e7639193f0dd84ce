#include "system/compute/roofline.h"

#include <algorithm>

#include "core/base/check.h"

namespace orrery {

Duration Roofline::time_of(const Compute& work) const {
  if (work.measured) return *work.measured;
  Duration time;
  if (work.flops > Flops{}) {
    CHECK(spec_.peak > FlopRate{}, "{} FLOP to compute, and no peak", work.flops.value);
    time = compute_time(work.flops, spec_.peak);
  }
  if (spec_.memory_bandwidth && work.memory_traffic > Bytes{})
    time = std::max(time, transfer_time(work.memory_traffic, *spec_.memory_bandwidth));
  return time;
}

}  // namespace orrery
