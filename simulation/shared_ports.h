// Which kinds of traffic of a job pass the same ports: a port that the messages of a pipeline and
// those of gradients leave by, say. `analytical` lets a port carry whole messages, first come,
// first served, so a small message waits for a large one; a NIC serves its connections in turns, as
// `fluid` does. With one kind of traffic a port has one connection to serve at a time, or several
// that are alike.
#pragma once

#include <string>

#include "simulation/experiment.h"

namespace orrery {

// A clause: "activation and gradient messages share the ports of fabric"; "" if each level has one
// kind. Of a transformer the exchanges of tensor-parallel ranks, stages and replicas go on side by
// side, and configurations are compared by one model: it has a clause on any level.
std::string shared_ports_of(const Experiment& experiment);

}  // namespace orrery
