// The packet backend (network/packet/packet_backend.h) with TCP where the user names no transport.
// docs/models/ns3.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits ns3_traits;

// Waits while another thread's simulation uses ns-3. REQUIRES: queue and topology outlive the
// backend; this thread has no other one; problems_of(spec) finds none (network/problems.h).
std::unique_ptr<NetworkBackend> make_ns3_backend(EventQueue& queue, const Topology& topology,
                                                 const NetworkSpec& spec = {});

}  // namespace orrery
