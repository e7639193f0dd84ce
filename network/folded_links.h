// Which links carry corresponding messages, where NPUs are folded (fold.h).
#pragma once

#include <vector>

#include "network/fold.h"
#include "network/topology/topology.h"

namespace orrery {

// For each link, the corresponding link of the NPU that represents the link's NPU: the NPU that the
// link leaves or, from a switch, the NPU that it goes to. REQUIRES: topology.structural().
std::vector<LinkIndex> representative_links(const Topology& topology, const Fold& fold);

}  // namespace orrery
