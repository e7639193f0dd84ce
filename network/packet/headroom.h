// Memory that a lossless class needs so that nothing is lost while a pause is on its way: IEEE
// 802.1Qbb, annex O; pause quanta: IEEE 802.3, 31B.3.7. docs/models/packet-fabric.md.
#pragma once

#include "core/units/units.h"
#include "network/switch_spec.h"
#include "network/topology/topology.h"

namespace orrery {

inline constexpr Bytes pause_frame_bytes = bytes(84);  // 64, preamble 8, gap 12

// What a pause frame says at most: 65,535 quanta of 512 bits.
Duration longest_pause(Bandwidth rate);

// From the end of a pause frame until its class stops: PfcSpec::response, or the most that the
// standard allows at this rate.
Duration response_of(const PfcSpec& pfc, Bandwidth rate);

// For one lossless class of a link at its receiving end: 2 r L + 3 MTU + 84 B + r t. The packet
// that finds its link above the threshold (others may have lowered it since the link's last packet
// came, so it has no place in the shared part), a packet that the reverse link has just begun, the
// frame, two latencies, the response, and a packet that the sender has just begun.
Bytes headroom_of(const PacketClass& packet_class, const SwitchSpec& spec, const Link& link);

}  // namespace orrery
