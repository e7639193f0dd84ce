// A platform with fewer or more NPUs than its description says, and what it is built of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/spec_problem.h"
#include "network/topology/topology.h"
#include "simulation/experiment.h"

namespace orrery {

// Keeps the first `ranks` NPUs, in inner groups as full as before. `said`: by "--ranks", or the key
// of `platform:`. Problems are at that key, or at the topology; then nothing changes.
SpecProblems keep_ranks(TopologySpec& topology, std::int32_t ranks, std::string_view said);

// As large as the key `ranks` of `platform:` says: smaller as above, or larger by the outermost
// level.
SpecProblems resize(TopologySpec& topology, std::int32_t ranks);

// Of the switches of each name, where there are several: "14 switch, 7 leaf, 6 spine"; else "".
std::string switches_in_words(const Topology& topology);

// How many leaves and spines the file left to be chosen, in the resolved values and the network.
void tell_leaves_and_spines(Experiment& experiment);

}  // namespace orrery
