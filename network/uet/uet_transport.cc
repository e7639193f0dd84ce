// UET, the transport of Ultra Ethernet 1.0: many paths by entropy values, selective repeat,
// trimming, and how much is on its way by the sender's window (NSCC), the receiver's credits
// (RCCC), or both. docs/models/unordered.md.
#include "network/packet/transports.h"
#include "network/placed/placed_transport.h"
#include "network/transport/nscc_control.h"

namespace orrery {

std::unique_ptr<PacketTransport> make_uet_transport(const TransportParts& parts) {
  const TransportSpec& spec = parts.spec.transport;
  PacketClass data;
  data.priority = spec.roce.priority;
  data.overflow = spec.uet.trimming ? ClassOverflow::trim : ClassOverflow::drop;
  data.buffer = bytes(1'500);  // for each Gb/s: 12 us of the link
  data.buffer_per_gigabit = true;
  data.ecn = EcnRamp{
      .minimum = bytes(300), .maximum = bytes(1'200), .per_gigabit = true, .probability = 1};
  PlacedSettings settings;
  settings.name = "UET";
  settings.payload = spec.roce.payload;
  settings.rto = rto_of(spec);
  if (!spec.roce.rto) settings.least_round_trips = 4;
  settings.packets_time_out = true;
  settings.retries = spec.retries;
  settings.priority = spec.roce.priority;
  settings.trims = spec.uet.trimming;
  settings.pulls = spec.uet.control != UetControl::nscc;
  // The credit that a sender has before the first pull is the largest window of both controls, as
  // in the reference simulator (uet-htsim, initRccc: 1.5 BDP).
  if (settings.pulls) settings.initial_bdps = 1.5;
  settings.pulls_ahead = settings.pulls;
  settings.packets_of_pull = 4;
  settings.entropy_values = spec.uet.entropy_values;
  settings.recycles = true;
  settings.usual_policy = RoutingPolicy::source;
  settings.switches = switches_for_placed(parts.spec, data);
  NsccSpec nscc = spec.uet.nscc;
  nscc.trimming = spec.uet.trimming;
  if (spec.uet.control != UetControl::rccc)
    settings.make_control = [nscc](const PathFacts& facts) {
      return make_nscc_control(nscc, facts);
    };
  return std::make_unique<PlacedTransport>(parts, std::move(settings));
}

// As NDP's: headers, a packet's time for each further link, twice; and the window's round trips.
Duration uet_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 82 * (size.value / 4'096 + 1);
  return transfer_time(size + bytes(headers + 8 * 4'178), link) + round_trip * 2;
}

}  // namespace orrery
