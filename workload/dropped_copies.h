// How many of the copies of tokens that go to experts are dropped there, and so train nothing.
#pragma once

#include "workload/workload_spec.h"

namespace orrery {

// A share of all copies, 0 without a capacity. Of a load that is drawn, that of the first
// micro-batch of the first group, over as many layers as are soon drawn.
double dropped_copies(const TransformerWorkload& workload);

}  // namespace orrery
