// What an NPU of a graph gets for messages that cross a level while all others send across it too:
// less than its port takes where the fabric tapers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

// For each level, what the first group of the level below can send to the other groups of the same
// group of the level, by maximum flow and for each of its NPUs, and at most what a port takes
// there. Of levels that say the wires, what a port takes. O(links) for each level.
std::vector<Bandwidth> crossing_bandwidths(const Topology& topology);

// What an NPU gets while all send to all others of their level, if switches make nearer groups
// there that the levels do not tell, such as leaves that are not equally full: by maximum flow out
// of the nearest group, of `npus` NPUs. Else `npus` are those of a group of the level below, and
// `bandwidth` is what a port takes.
struct SpreadBandwidth {
  std::int32_t npus = 0;
  Bandwidth bandwidth;
};
std::vector<SpreadBandwidth> spread_bandwidths(const Topology& topology);

}  // namespace orrery
