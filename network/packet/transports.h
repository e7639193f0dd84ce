// The packet transports: network/packet/transports.def as a table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "network/packet/packet_transport.h"
#include "network/transport_spec.h"

namespace orrery {

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
