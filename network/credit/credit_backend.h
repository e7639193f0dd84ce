// Store and forward of segments with credit-based flow control: a segment goes over a link when the
// buffer at the link's other end has room for all of it. docs/models/credit.md.
#pragma once

#include <memory>

#include "network/network_backend.h"
#include "network/network_spec.h"

namespace orrery {

struct BackendTraits;
extern const BackendTraits credit_traits;

// REQUIRES: queue and topology outlive the backend; spec.credit obeys its ranges.
std::unique_ptr<NetworkBackend> make_credit_backend(EventQueue& queue, const Topology& topology,
                                                    const NetworkSpec& spec);

}  // namespace orrery
