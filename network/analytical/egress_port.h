// The sending side of a port: first come, first served.
#pragma once

#include "core/units/units.h"

namespace orrery {

struct EgressPort {
  Time free;
  Bytes link_bytes;  // that left over the port's own link
  // transfer_time() is a 128-bit division; the sizes of a collective repeat.
  Bytes last_size{-1};
  Bandwidth last_bandwidth;
  Duration last_duration;

  Duration duration_of(Bytes size, Bandwidth bandwidth) {
    if (size != last_size || bandwidth != last_bandwidth) {
      last_size = size;
      last_bandwidth = bandwidth;
      last_duration = transfer_time(size, bandwidth);
    }
    return last_duration;
  }
};

}  // namespace orrery
