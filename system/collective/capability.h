// What algorithms can do on the levels of a platform.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "network/topology/topology.h"
#include "system/system_spec.h"

namespace orrery {

// How many algorithms there are to choose: a flat schedule has one for all levels, which stands at
// level 0.
std::size_t algorithm_choices(HierarchicalSchedule schedule, const TopologySpec& topology);

// Ranks that run the algorithm of a level together.
int ranks_at(HierarchicalSchedule schedule, const TopologySpec& topology, std::size_t level);

// The first thing that `algorithm` cannot do on a level, as the name of a collective; "" if it can
// do all that a collective of that kind needs there.
std::string_view first_unsupported(const NamedAlgorithm& algorithm, Collective kind,
                                   HierarchicalSchedule schedule, const TopologySpec& topology,
                                   std::size_t level);

// For a kind for which nothing is chosen: one for each level, which suits the level's kind.
std::vector<NamedAlgorithm> suitable_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                const TopologySpec& topology);

}  // namespace orrery
