// Links of a graph that messages of several NPUs may load at once: what a model of ports alone does
// not see (docs/models/analytical.md, "Where contention cannot be").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "network/topology/topology.h"

namespace orrery {

struct InnerLinks {
  enum class Kind : std::uint8_t {
    none,         // every link is a port of one NPU, or the port of a NIC
    unequal,      // so too, but ports of a level differ: a slow one does not fill a fast one
    at_nics,      // of a NIC that is faster than one of its NPUs and slower than all of them
    at_npus,      // of NPUs that pass on what is not for them
    at_switches,  // between switches, or from one of their ports on behind a NIC
  };
  Kind kind = Kind::none;
  // What a switch takes from below, divided by what it can pass upwards; of the switches with links
  // further away from the NPUs, the largest. 1 or less: nothing tapers.
  double taper = 1;
  std::string level;  // of those upward links
};

// Whether some messages on a ring or mesh pass links between their ends: not if all are neighbours.
bool has_inner_links(const LevelSpec& level);

// Of levels, whose links the levels tell: none. O(nodes + links).
InnerLinks inner_links(const TopologySpec& topology);

}  // namespace orrery
