// Packets: a transport at the NPUs (network/transports.def), queues and buffers of switches
// between them. Levels choose their transport; all run on one clock. Levels of transport `ideal`
// are the analytical or the fluid model's. docs/models/packet-fabric.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits packet_traits;

// REQUIRES: queue and topology outlive the backend; this build has the transports of all levels;
// problems_of(spec) finds none (network/problems.h).
std::unique_ptr<NetworkBackend> make_packet_backend(EventQueue& queue, const Topology& topology,
                                                    const NetworkSpec& spec = {});

// With `usual` between nodes where the user names no transport.
std::unique_ptr<NetworkBackend> make_packet_backend_with(TransportKind usual, EventQueue& queue,
                                                         const Topology& topology,
                                                         const NetworkSpec& spec);

}  // namespace orrery
