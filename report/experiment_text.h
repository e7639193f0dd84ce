// What follows from a configuration without simulating it: the numbers to check a description by.
#pragma once

#include <string>

#include "simulation/experiment.h"
#include "simulation/traffic_spec.h"

namespace orrery {

// Per level: ports, injection bandwidth, path latency. Per collective: the least time of 100 MB. Of
// one iteration of rank 0: operations, compute time, collectives with bytes, chunks and least time.
// Throws ConfigError or IoError if the workload is a text file that is wrong or cannot be read.
std::string derived_numbers(const Experiment& experiment);
// Per level the same. Of the flows: how many start, how large they are, what they offer of what.
std::string derived_numbers(const Experiment& experiment, const TrafficSpec& traffic);

}  // namespace orrery
