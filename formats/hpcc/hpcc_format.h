// The topology text of ns-3's HPCC simulator (github.com/alibaba-edu/High-Precision-Congestion-
// Control, simulation/mix/topology.txt), which ASTRA-sim's ns-3 backend reads too:
//
//   NODES SWITCHES LINKS
//   the ids of the switches
//   SOURCE TARGET RATE DELAY ERROR_RATE      one line a link, both directions: 0 4 100Gbps 500ns 0
//
// Hosts are the ids that are no switches; in ascending order they become NPUs 0, 1, ... Error rates
// must be 0: loss is not part of a topology here.
#pragma once

#include <string>
#include <string_view>

#include "network/topology/topology.h"

namespace orrery {

// Throws ConfigError with the line of the first thing that is wrong.
TopologySpec parse_hpcc_topology(std::string_view text, const std::string& file_name);

// NICs become switches, which is all the format knows; NPUs 0, 1, ... stay hosts 0, 1, ... Throws
// ConfigError if a link has no equal one back.
std::string hpcc_text(const Topology& topology);

}  // namespace orrery
