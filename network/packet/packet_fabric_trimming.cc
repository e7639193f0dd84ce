// Packets that are cut to their headers instead of being lost: M. Handley et al., "Re-architecting
// datacenter networks and stacks for low latency and high performance" (NDP), SIGCOMM 2017, 3.1.
#include <bit>

#include "network/packet/packet_fabric.h"

namespace orrery {

double PacketFabric::own_buffer(const Port& port, unsigned of) const {
  constexpr double gigabit = 125'000'000;  // bytes per second
  const PacketClass& one = classes_[of];
  const auto size = static_cast<double>(one.buffer->value);
  if (!one.buffer_per_gigabit) return size;
  return size * static_cast<double>(rest_of(port).bandwidth.value) / gigabit;
}

bool PacketFabric::fits_own_buffer(const Packet& packet, const Port& port,
                                   const OutputQueue& queue) const {
  return static_cast<double>((queue.waiting + bytes(packet.wire_bytes)).value) <=
         own_buffer(port, packet.of);
}

// Headers go first, but so many of them at most that the others go on, too. REQUIRES: ready != 0.
unsigned PacketFabric::header_or_other(Port& port, unsigned ready) {
  const auto highest = static_cast<unsigned>(std::bit_width(ready)) - 1;
  const unsigned others = ready & ((1U << header_class_) - 1);
  if (highest != header_class_ || others == 0) {
    port.turn = 0;
    return highest;
  }
  if (port.turn < spec_.headers_in_turn) {
    ++port.turn;
    return highest;
  }
  port.turn = 0;
  return static_cast<unsigned>(std::bit_width(others)) - 1;
}

}  // namespace orrery
