// A rotated plan, in which the root does what position 0 does in the given plan: algorithms plan
// for root 0 only.
#pragma once

#include <memory>

#include "system/collective_algorithm.h"

namespace orrery {

// The ranks of a node stay together: `plan` is one for the group counted from the root's node on.
// Where ranks own pieces (gather, scatter), `group` has to be a single node. `plan` outlives the
// result. REQUIRES: 0 <= root < group.size(), plan is of group.counted_from(node of the root).
std::unique_ptr<Plan> rooted_at(Position root, const GroupShape& group, const Plan& plan);

}  // namespace orrery
