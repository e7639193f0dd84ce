// Ranks of a real job do not start in the same picosecond. Packets that a lock step would keep
// apart then meet in queues (docs/models/packet-fabric.md).
#pragma once

#include <cstdint>

#include "core/units/units.h"
#include "system/job.h"

namespace orrery {

// Adds to the start of each rank a time that is uniform in [0, skew), in picoseconds. It belongs to
// (seed, rank) and nothing else (RandomStream): not to the network or the length of the job.
// REQUIRES: skew >= 0.
void skew_starts(Job& job, Duration skew, std::uint64_t seed);

}  // namespace orrery
