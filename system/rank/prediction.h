// How long a collective would take alone: what `algorithm: auto` compares.
//
// The group is taken out of its platform: a topology of its levels only, on the analytical backend,
// all ranks calling at once, with the endpoints, limits and chunks of the system. Up to
// kMostMessages messages this is the simulation itself and therefore exact, alone, on that backend.
// Beyond that, where three chunks still can be simulated, the others are taken to follow as the
// third does the second, T(k) = T(2) + (k-2) (T(3) - T(2)): the second one also fills the time in
// which the first is on other levels. Of schedules with several orders of the levels it is the
// second and the first: the third goes where the first one does. Beyond that a rank's stages are
// added up, latency and bytes, as if its partners were always ready. Further chunks follow no
// faster than the busiest port of a rank carries them, and neither is less than the bandwidth
// bound.
#pragma once

#include <vector>

#include "core/units/units.h"
#include "network/topology/topology.h"
#include "system/collective_algorithm.h"
#include "system/job.h"
#include "system/system_spec.h"

namespace orrery {

inline constexpr std::int64_t kMostMessages = 1 << 17;

// The level of a platform as so many members of a group see it that is taken out of it. Some
// neighbours of a ring, up to half of it, are a mesh. A level of
// a graph becomes fully connected if each of its NPUs has a link to each other one, else a switch:
// an NPU has one port there, and the two links of a crossing together have the level's latency
// (rounded up to an even number of picoseconds).
LevelSpec level_alone(const Topology& topology, int level, std::int32_t members);

// `group`: the levels of the group, innermost first, as level_alone() has them. `candidate` names
// an algorithm for each of them, or one for all. Beyond the clock: the longest Duration. REQUIRES:
// they support their phases; candidate is neither automatic nor has it ranges.
Duration predicted_time(const std::vector<LevelSpec>& group, const SystemSpec& system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size);

// The last of these ways by itself, whatever the number of messages: microseconds of work.
// REQUIRES: as above.
Duration estimated_time(const std::vector<LevelSpec>& group, const SystemSpec& system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size);

// How long the messages of one phase take whose bytes cost nothing: latency, endpoints and steps of
// the protocol along its longest chain. Plans of more than 16,384 messages are walked as above.
// REQUIRES: the algorithm supports the phase on `level`, which is as level_alone() has it.
Duration latency_alone(const LevelSpec& level, const SystemSpec& system,
                       const NamedAlgorithm& algorithm, Protocol protocol, Collective phase);

// The way between two ranks: the sum of latencies, with those of the messages themselves, the least
// bandwidth, and the outermost level that it crosses, with the sender's port there.
struct PathBetween {
  Duration latency;
  Bandwidth bandwidth;
  int level = 0;
  std::int32_t port = 0;
};
PathBetween path_between(const Topology& topology, const SystemSpec& system, Rank from, Rank to);

}  // namespace orrery
