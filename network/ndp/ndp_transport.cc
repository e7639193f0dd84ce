// NDP: M. Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
// performance", SIGCOMM 2017. A full window at once, headers of what finds no room, and receivers
// that ask for the rest. docs/models/unordered.md.
#include "network/packet/transports.h"
#include "network/packet/wire_format.h"
#include "network/placed/placed_transport.h"

namespace orrery {

std::unique_ptr<PacketTransport> make_ndp_transport(const TransportParts& parts) {
  constexpr std::int64_t queue = 8;  // packets of data at a port (3.1)
  const TransportSpec& spec = parts.spec.transport;
  PacketClass data;
  data.priority = spec.roce.priority;
  data.overflow = ClassOverflow::trim;
  data.buffer = (spec.roce.payload + bytes(wire::packet)) * queue;
  PlacedSettings settings;
  settings.name = "NDP";
  settings.payload = spec.roce.payload;
  settings.rto = rto_of(spec);
  settings.retries = spec.retries;
  settings.priority = spec.roce.priority;
  settings.trims = true;
  settings.returns = spec.ndp.return_to_sender;
  settings.pulls = true;
  settings.initial_window = spec.ndp.initial_window;
  settings.initial_bdps = spec.ndp.initial_bdps;
  settings.entropy_values = 256;
  settings.switches = switches_for_placed(parts.spec, data);
  return std::make_unique<PlacedTransport>(parts, std::move(settings));
}

// Headers of 82 B for each packet, a packet's time for each further link, of at most 8; once more
// where a message goes in two legs; and a round trip for what is pulled.
Duration ndp_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 82 * (size.value / 4'096 + 1);
  return transfer_time(size + bytes(headers + 8 * 4'178), link) + round_trip * 2;
}

}  // namespace orrery
