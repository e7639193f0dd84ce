// Acknowledgements are packets, too: the fabric counts how long packets wait by kind, and this one
// is theirs.
#pragma once

#include <cstdint>
#include <span>

#include "network/packet_statistics.h"

namespace orrery {

inline constexpr std::uint8_t acknowledgement_kind = 255;  // of packets; data: Message::label

// Fills the waits of data and of acknowledgements from those by kind.
inline void set_waits(PacketStatistics& statistics, std::span<const PacketWaits> by_kind) {
  statistics.waits.assign(by_kind.begin(), by_kind.end());
  if (by_kind.size() <= acknowledgement_kind) return;
  statistics.acknowledgement_waits = by_kind[acknowledgement_kind];
  statistics.waits.pop_back();
}

}  // namespace orrery
