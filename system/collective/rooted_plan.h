// A plan turned round, so that what its position 0 does is done by another one: algorithms plan for
// root 0 only.
#pragma once

#include <memory>

#include "system/collective_algorithm.h"

namespace orrery {

// `plan` outlives the result. REQUIRES: 0 <= root < size, the group size of `plan`.
std::unique_ptr<Plan> rooted_at(Position root, int size, const Plan& plan);

}  // namespace orrery
