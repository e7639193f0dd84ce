// Which links carry the like of each other, where NPUs are folded (fold.h).
#pragma once

#include <vector>

#include "network/fold.h"
#include "network/topology/topology.h"

namespace orrery {

// Of each link, the one with its place at the NPU that represents the link's NPU: the first that it
// leaves, or, from a switch, that it goes to. REQUIRES: topology.structural().
std::vector<LinkIndex> representative_links(const Topology& topology, const Fold& fold);

}  // namespace orrery
