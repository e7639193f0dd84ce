// The packet transports: network/transports.def as a table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "network/packet/packet_transport.h"
#include "network/transport_spec.h"

namespace orrery {

// What each of them defines: how to make it, and by how much a message that is alone takes longer
// than latency and size over bandwidth at most (as BackendTraits::tolerance).
#define TRANSPORT(name, sentence)                                                        \
  std::unique_ptr<PacketTransport> make_##name##_transport(const TransportParts& parts); \
  Duration name##_tolerance(Bytes size, Bandwidth link, Duration round_trip);
#define TRANSPORT_OF_NS3 TRANSPORT
#include "network/transports.def"
#undef TRANSPORT_OF_NS3
#undef TRANSPORT

struct TransportEntry {
  TransportKind kind;
  std::string_view name, sentence;
  // nullptr: this build does not have it.
  std::unique_ptr<PacketTransport> (*make)(const TransportParts& parts);
};

std::span<const TransportEntry> packet_transports();  // those that this build lacks, too

// REQUIRES: kind is not ideal.
const TransportEntry& packet_transport(TransportKind kind);

}  // namespace orrery
