// Bytes that RoCEv2 costs on Ethernet, for each packet: InfiniBand Architecture 1.2.1, annex A17.
#pragma once

#include "core/units/units.h"

namespace orrery::wire {

inline constexpr std::int64_t ethernet = 38;  // preamble 8, header 14, checksum 4, gap 12
inline constexpr std::int64_t ip = 20, udp = 8;
inline constexpr std::int64_t bth = 12, icrc = 4;
inline constexpr std::int64_t packet = ethernet + ip + udp + bth + icrc;
inline constexpr std::int64_t reth = 16;  // of an RDMA write: on the first packet of a message
inline constexpr std::int64_t aeth = 4;
inline constexpr std::int64_t acknowledgement = packet + aeth;
inline constexpr std::int64_t notification = packet + 16;  // CNP: 16 bytes that are reserved

static_assert(packet == 82 && acknowledgement == 86 && notification == 98);

// In-band telemetry as HPCC's header: 2 bytes, and 8 for each hop.
constexpr std::int64_t telemetry(std::int32_t hops) { return 2 + 8 * std::int64_t{hops}; }

}  // namespace orrery::wire
