// PIAS: W. Bai et al., "Information-agnostic flow scheduling for commodity data centers", NSDI
// 2015: DCTCP, and a class for each packet by the bytes that its message has sent.
// docs/models/scheduled.md.
#include "network/packet/transports.h"
#include "network/packet/wire_format.h"
#include "network/roce/roce_transport.h"
#include "network/roce/switch_classes.h"

namespace orrery {

std::unique_ptr<PacketTransport> make_pias_transport(const TransportParts& parts) {
  const TransportSpec& spec = parts.spec.transport;
  PairSettings settings;
  settings.name = "PIAS";
  settings.roce = spec.roce;
  settings.rto = rto_of(spec);
  settings.roce.recovery = RecoveryKind::selective_repeat;
  settings.retries = spec.retries;
  settings.control = find_roce_control("dctcp");
  settings.switches = parts.spec.switches;
  settings.switches.classes = classes_for_pias(parts.spec);
  settings.switches.largest_packet = spec.roce.payload + bytes(wire::packet + wire::reth);
  settings.messages_are_flows = true;
  settings.thresholds = thresholds_of(spec.pias);
  settings.priorities = priorities_for_pias(parts.spec);
  settings.highest_priority = settings.priorities.front();
  settings.answer_priority = settings.priorities.front();
  for (const PacketClass& one : settings.switches.classes)
    if (one.carries == ClassContent::control)
      settings.answer_priority = static_cast<std::uint8_t>(one.priority);
  return std::make_unique<RoceTransport>(parts, std::move(settings));
}

Duration pias_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  return roce_tolerance(size, link, round_trip);
}

}  // namespace orrery
