// Messages as fluid: those under way share the links of their paths max-min fairly, and rates
// change at once when one begins or ends. docs/models/fluid.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits fluid_traits;

// REQUIRES: queue and topology outlive the backend.
std::unique_ptr<NetworkBackend> make_fluid_backend(EventQueue& queue, const Topology& topology,
                                                   const NetworkSpec& spec);

}  // namespace orrery
