// A topology in which equal nodes are one box, with their number.
#pragma once

#include <string>

#include "network/topology/equal_parts.h"

namespace orrery {

// REQUIRES: `parts` are those of the topology.
std::string overview_svg(const Topology& topology, const EqualParts& parts,
                         const std::string& title);

}  // namespace orrery
