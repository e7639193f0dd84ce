// What one message can use at most, whatever else is going on: FluidSpec's limits.
#pragma once

#include "network/fluid_spec.h"

namespace orrery::fluid {

// In bytes per second; infinite if the path's narrowest link is all that limits it.
// `latency` is that of the path one way, `narrowest` its smallest bandwidth.
double flow_limit(const FluidSpec& spec, Bytes size, Duration latency, Bandwidth narrowest);

}  // namespace orrery::fluid
