// pFabric: M. Alizadeh et al., "pFabric: minimal near-optimal datacenter transport", SIGCOMM 2013.
// docs/models/scheduled.md.
#include <algorithm>

#include "network/packet/transports.h"
#include "network/packet/wire_format.h"
#include "network/roce/roce_transport.h"
#include "network/transport/pfabric_control.h"
#include "network/transport/timeout_recovery.h"

namespace orrery {
namespace {

constexpr ControlEntry control{"pfabric", &make_pfabric_control, true, false, false};

// Queues of 36 kB at 10 Gb/s, two BDPs (5.1), and answers before all data.
SwitchSpec switches_for_pfabric(const NetworkSpec& spec) {
  SwitchSpec switches = spec.switches;
  switches.largest_packet = spec.transport.roce.payload + bytes(wire::packet + wire::reth);
  if (!switches.classes.empty()) return switches;
  PacketClass data;
  data.priority = spec.transport.roce.priority;
  data.least_first = true;
  data.buffer = bytes(3'600);
  data.buffer_per_gigabit = true;
  PacketClass answers;
  answers.priority = data.priority < 6 ? 6 : 7;
  answers.carries = ClassContent::control;
  switches.classes = {data, answers};
  if (data.priority == answers.priority) switches.classes.pop_back();
  const bool own = std::ranges::any_of(spec.given, [](const GivenSetting& setting) {
    return setting.path == "network.switch.buffer";
  });
  if (own) switches.classes.front().buffer.reset();
  return switches;
}

}  // namespace

std::unique_ptr<PacketTransport> make_pfabric_transport(const TransportParts& parts) {
  // A message that waits for all shorter ones is no broken path: it gives up late.
  constexpr std::int32_t patience = 1'000;
  const TransportSpec& spec = parts.spec.transport;
  PairSettings settings;
  settings.name = "pFabric";
  settings.roce = spec.roce;
  settings.rto = rto_of(spec);
  settings.retries = spec.retries * patience;
  settings.control = &control;
  settings.recovery = &make_timeout_recovery;
  settings.switches = switches_for_pfabric(parts.spec);
  settings.messages_are_flows = true;
  settings.ranks = true;
  settings.highest_priority = settings.answer_priority =
      static_cast<std::uint8_t>(spec.roce.priority);
  for (const PacketClass& one : settings.switches.classes)
    if (one.carries == ClassContent::control)
      settings.answer_priority = static_cast<std::uint8_t>(one.priority);
  return std::make_unique<RoceTransport>(parts, std::move(settings));
}

Duration pfabric_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  return roce_tolerance(size, link, round_trip);
}

}  // namespace orrery
