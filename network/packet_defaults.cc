#include "network/packet_defaults.h"

#include <algorithm>

#include "network/backends.h"
#include "network/packet/wire_format.h"
#include "network/roce/switch_classes.h"

namespace orrery {
namespace {

TransportKind kind_of(const NetworkSpec& spec) {
  const BackendEntry* backend = find_backend(spec.backend);
  const bool has_packets = backend != nullptr && backend->traits->has_packets;
  return spec.transport.kind.value_or(has_packets ? backend->traits->transport
                                                  : TransportKind::roce);
}

bool is_given(const NetworkSpec& spec, std::string_view path) {
  return std::ranges::find(spec.given, path, &GivenSetting::path) != spec.given.end();
}

// The highest priority that no class has.
std::int32_t highest_free(const std::vector<PacketClass>& classes) {
  for (std::int32_t priority = PacketClass::count - 1; priority > 0; --priority)
    if (std::ranges::find(classes, priority, &PacketClass::priority) == classes.end())
      return priority;
  return 0;
}

}  // namespace

Bytes full_packet_of(const NetworkSpec& spec) {
  switch (kind_of(spec)) {
    case TransportKind::tcp:
    case TransportKind::ideal:
      return spec.transport.mtu + spec.transport.link_overhead;
    case TransportKind::roce:
      return switches_for_roce(spec).largest_packet;
    case TransportKind::pias:
    case TransportKind::pfabric:
      return spec.transport.roce.payload + bytes(wire::packet + wire::reth);
    default:
      return spec.transport.roce.payload + bytes(wire::packet);
  }
}

void complete_classes(NetworkSpec& spec) {
  std::vector<PacketClass>& classes = spec.switches.classes;
  const auto carries_data = [](const PacketClass& one) {
    return one.carries == ClassContent::data;
  };
  if (std::ranges::count_if(classes, carries_data) != 1) return;
  const PacketClass data = *std::ranges::find_if(classes, carries_data);
  if (!is_given(spec, "network.transport.priority") && spec.transport.kind != TransportKind::mlt)
    spec.transport.roce.priority = data.priority;
  if (data.overflow != ClassOverflow::trim || classes.size() > 1) return;
  PacketClass headers;
  headers.priority = highest_free(classes);
  headers.carries = ClassContent::control;
  headers.buffer = data.buffer.value_or(bytes(64'000));
  headers.buffer_per_gigabit = data.buffer && data.buffer_per_gigabit;
  if (headers.priority > data.priority) classes.push_back(headers);
}

}  // namespace orrery
