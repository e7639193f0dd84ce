// What a packet sees when it leaves a switch's queue: in-band network telemetry.
#pragma once

#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

struct HopTelemetry {
  LinkIndex link = 0;
  Bytes waiting;  // behind it, of its class
  Bytes sent;     // over the link, up to its own end
  Time at;
  Bandwidth bandwidth;
};

}  // namespace orrery
