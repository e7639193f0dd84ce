// A platform with fewer or more NPUs than its description says.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/spec_problem.h"
#include "network/topology/topology.h"

namespace orrery {

// Keeps the first `ranks` NPUs, in inner groups as full as before. `said`: by "--ranks", or the key
// of `platform:`. Problems are at that key, or at the topology; then nothing changes.
SpecProblems keep_ranks(TopologySpec& topology, std::int32_t ranks, std::string_view said);

// As large as the key `ranks` of `platform:` says: smaller as above, or larger by the outermost
// level.
SpecProblems resize(TopologySpec& topology, std::int32_t ranks);

}  // namespace orrery
