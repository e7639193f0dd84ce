// Every link is a queue, first come, first served; a message is stored at every node of its path
// before it goes on, whole or in segments. docs/models/queue.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits queue_traits;

// REQUIRES: queue and topology outlive the backend.
std::unique_ptr<NetworkBackend> make_queue_backend(EventQueue& queue, const Topology& topology,
                                                   const NetworkSpec& spec);

}  // namespace orrery
