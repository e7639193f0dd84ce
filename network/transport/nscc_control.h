// NSCC, the network-signalled congestion control of Ultra Ethernet 1.0 (3.6.13): a window, by marks
// and queueing delay. docs/models/unordered.md.
#pragma once

#include <memory>

#include "network/placed_spec.h"
#include "network/transport/congestion_control.h"

namespace orrery {

std::unique_ptr<CongestionControl> make_nscc_control(const NsccSpec& spec, const PathFacts& facts);

}  // namespace orrery
