// What a message costs at the rank that sends or receives it, beyond its wires: the overhead and
// gap of LogGP and the memory copy (docs/models/endpoint.md). Everything is off by default.
//
// A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into the
// LogP model", SPAA 1995.
#pragma once

#include <optional>

#include "core/units/units.h"

namespace orrery {

struct EndpointSpec {
  Duration send_overhead = {},
           receive_overhead = {};  // o: the rank's one message processor is busy this
                                   // long for each message that leaves or arrives
  Duration gap = {};  // g: between the beginnings of two departures, and of two arrivals
  std::optional<Bandwidth> send_copy = {},
                           receive_copy = {};  // rate of the copy between the user's buffer
                                               // and the network's, before and after the wire

  bool operator==(const EndpointSpec&) const = default;
  bool is_off() const { return *this == EndpointSpec{}; }
};

}  // namespace orrery
