#include "network/ns3/ns3_backend.h"

#include "network/backends.h"
#include "network/packet/packet_backend.h"
#include "network/packet/transports.h"

namespace orrery {

const BackendTraits ns3_traits{.shares_links = true,
                               .has_packets = true,
                               .transport = TransportKind::tcp,
                               .tolerance = &tcp_tolerance};

std::unique_ptr<NetworkBackend> make_ns3_backend(EventQueue& queue, const Topology& topology,
                                                 const NetworkSpec& spec) {
  return make_packet_backend_with(ns3_traits.transport, queue, topology, spec);
}

}  // namespace orrery
