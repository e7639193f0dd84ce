// Closed-form network: a message costs the latency of its path plus its size over the bottleneck,
// and an NPU's port carries one byte at a time, out and in. docs/models/analytical.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "network/network_backend.h"

namespace orrery {

// REQUIRES: queue and topology outlive the backend. `packet_settings` are the paths of settings
// that only packet backends use; they come back as unused_settings().
std::unique_ptr<NetworkBackend> make_analytical_backend(
    EventQueue& queue, const Topology& topology, std::vector<std::string> packet_settings = {});

}  // namespace orrery
