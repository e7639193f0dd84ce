// A message on its way over the fluid backend.
#pragma once

#include <cstdint>

#include "network/fluid/flow_classes.h"
#include "network/network_backend.h"

namespace orrery::fluid {

inline constexpr std::uint32_t no_flight = 0xFFFFFFFF;

struct Flight {
  // In turn: until the messages before it have left. Waiting: for a path.
  enum class State : std::uint8_t { free, starting, in_turn, waiting, flowing, arriving };

  Message message;
  MessageListener* listener = nullptr;
  Bytes left = {};           // to be carried when it last took a path
  std::uint64_t number = 0;  // tells it from others between the same two, for the router
  std::uint64_t sent = 0;    // it was the so manieth
  FlowName flow = {};
  Duration latency = {};
  State state = State::starting;

  // Of connections.h, by slot.
  std::uint32_t ahead = no_flight, behind = no_flight;
  std::uint32_t next_connection = no_flight;  // in the same bucket, of a connection's last one
  Time came = {};
};

}  // namespace orrery::fluid
