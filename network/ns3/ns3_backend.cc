#include "network/ns3/ns3_backend.h"

#include <cstdint>

#include "network/backends.h"
#include "network/packet/packet_backend.h"
#include "network/packet/transports.h"

namespace orrery {

const BackendTraits ns3_traits{.shares_links = true,
                               .has_packets = true,
                               .transport = TransportKind::tcp,
                               .tolerance = &tcp_tolerance};

// docs/models/ns3.md, "One message alone": 78 B more on the wire for each segment of 8,960 B; a
// packet's time for each further link, of at most 8; two round trips in which a window of 10
// segments, then 20, lets the line stand idle; and all of it once more, where an ideal level is
// left for one with TCP and the NPU between the two passes it on.
Duration tcp_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 78 * (size.value / 8'960 + 1) + 1;
  return transfer_time(size + bytes(headers + std::int64_t{8} * 9'038), link) + round_trip * 2;
}

std::unique_ptr<NetworkBackend> make_ns3_backend(EventQueue& queue, const Topology& topology,
                                                 const NetworkSpec& spec) {
  return make_packet_backend_with(ns3_traits.transport, queue, topology, spec);
}

}  // namespace orrery
