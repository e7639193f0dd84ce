// A topology for a person to read: `orrery topo show`.
#pragma once

#include <string>

#include "network/inner_links.h"
#include "network/topology/topology.h"

namespace orrery {

// "8 NPUs, 2 switches, 24 links"
std::string nodes_text(const Topology& topology);
// Those, its levels, its links by kind, and the figures of a survey. `inner`: its own.
std::string topology_text(const Topology& topology, const InnerLinks& inner);

}  // namespace orrery
