// The serialisation time asked for last: transfer_time() is a 128-bit division, and the sizes of a
// collective repeat.
#pragma once

#include "core/units/units.h"

namespace orrery {

struct TransferMemo {
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
