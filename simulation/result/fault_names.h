// What was wrong with the network while a run lasted, in words for its head.
#pragma once

#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"

namespace orrery {

// Links and nodes that network.faults takes down or slows down before `finish`, and when, the
// earliest first: "leaf0 -> spine1 is down", "spine2 is down from 2 ms to 5 ms".
std::vector<std::string> fault_names(const NetworkSpec& spec, const Topology& topology,
                                     Duration finish);

}  // namespace orrery
