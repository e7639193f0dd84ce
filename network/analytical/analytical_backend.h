// Closed-form network: a message costs the latency of its path plus its size over the bottleneck,
// and an NPU's port carries one byte at a time, out and in. docs/models/analytical.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits analytical_traits;

// REQUIRES: queue and topology outlive the backend. It honours no optional settings.
std::unique_ptr<NetworkBackend> make_analytical_backend(EventQueue& queue, const Topology& topology,
                                                        const NetworkSpec& spec = {});

}  // namespace orrery
