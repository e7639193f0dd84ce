// What an NPU of a graph gets while all NPUs of a level send the same way round it: a stage of a
// ring, or of an exchange at a distance. Between neighbours there may be fewer links than out of a
// group: a router of a dragonfly has one to each other router, and paths are the shortest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

struct ShiftBandwidths {
  Bandwidth in_turn;   // one stage after the other
  Bandwidth together;  // all stages at once, as chunks that follow each other use them
};

// What an NPU sends in a stage: bytes, by the distance of the receiver in parts of the level.
using Shift = std::map<std::int32_t, std::int64_t>;

// False: every switch that NPUs hang on reaches the others through switches without NPUs, and all
// NPUs have the same links. There groups send to one what they send to many
// (crossing_bandwidth.h). False of levels that say the wires, too.
bool shifts_differ(const Topology& topology);

// Each NPU of the first group of the level sends so, in stages of which there are so many, and
// flows divide equally over all shortest paths: what each gets while the busiest link is busy. Of
// large groups only so many NPUs send as two of its parts have, or some thousands. None: there is
// no way. `by_npu`: distances are those of NPUs, the level and those below taken as one.
// REQUIRES: a graph; 1 <= distance < size of the level, or the NPUs of its group.
std::optional<ShiftBandwidths> shift_bandwidths(const Topology& topology, int level,
                                                const std::map<Shift, std::int64_t>& stages,
                                                bool by_npu = false);

}  // namespace orrery
