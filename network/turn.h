// Whose turn it is where messages come to an NPU at the same time: never that of the rank with the
// lowest number (docs/decisions/0005).
#pragma once

#include <cstdint>

#include "network/network_backend.h"

namespace orrery {

// The nearest first; of those at one distance, as different groups may count it, point to point
// before groups. `on_route`: the distance as the topology counts it.
constexpr std::uint32_t turn_of(const Message& message, std::int32_t on_route) {
  const std::int32_t distance = message.distance < 0 ? on_route : message.distance;
  return static_cast<std::uint32_t>(distance) << 8 | static_cast<std::uint8_t>(message.group + 1);
}

}  // namespace orrery
