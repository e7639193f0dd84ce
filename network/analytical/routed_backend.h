// The analytical model on routes that a Router finds: graphs, and levels with failures or another
// policy than dimension order. docs/models/analytical.md, "On a graph".
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

// REQUIRES: queue and topology outlive the backend.
std::unique_ptr<NetworkBackend> make_routed_analytical_backend(EventQueue& queue,
                                                               const Topology& topology,
                                                               const NetworkSpec& spec);

}  // namespace orrery
