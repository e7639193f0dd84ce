// Of programs that link ns-3.
#include "network/ns3/tcp_stack.h"
#include "network/packet/transports.h"

namespace orrery {

std::unique_ptr<PacketTransport> make_tcp_transport(const TransportParts& parts) {
  return std::unique_ptr<PacketTransport>(orrery_make_tcp(parts));
}

}  // namespace orrery
