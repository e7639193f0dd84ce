// The packets of one class that wait before one link.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/random.h"
#include "core/units/units.h"
#include "network/packet/red_queue.h"
#include "network/packet_statistics.h"
#include "network/switch_spec.h"

namespace orrery {

// Numbers of packets on their way; free again when packet_arrived() or packet_lost() returns.
using PacketIndex = std::uint32_t;
inline constexpr PacketIndex no_packet = 0xffff'ffff;

// What every packet that waits needs: four of them are in a cache line.
struct alignas(16) OutputQueue {
  PacketIndex first = no_packet, last = no_packet;
  Bytes waiting;
};
static_assert(sizeof(OutputQueue) == 16);

struct OutputQueueRest {
  Bytes deficit;  // dwrr: what it may still send in its turn
  DropCounts drops = {};
  std::uint64_t marks = 0;
  RedQueue red;
  double average = 0;  // of EcnRamp
};

// Marks a packet that leaves or finds `waiting` bytes, by the ramp of its class on a link of this
// bandwidth?
inline bool picked_by(const EcnRamp& ramp, Bandwidth bandwidth, Bytes waiting, double& average,
                      RandomStream& random) {
  constexpr double gigabit = 125'000'000;  // bytes per second
  const double scale = ramp.per_gigabit ? static_cast<double>(bandwidth.value) / gigabit : 1;
  average += ramp.weight * (static_cast<double>(waiting.value) - average);
  const double minimum = static_cast<double>(ramp.minimum.value) * scale;
  const double maximum = static_cast<double>(ramp.maximum.value) * scale;
  if (average <= minimum) return false;
  if (average > maximum) return true;
  return random.uniform() < ramp.probability * (average - minimum) / (maximum - minimum);
}

}  // namespace orrery
