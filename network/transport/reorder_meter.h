// Counts packets of one flow that come after a packet that was sent later (RFC 4737, 3.3: a packet
// is reordered if its number is below the largest one there).
#pragma once

#include <algorithm>

#include "network/packet_statistics.h"
#include "network/transport/recovery.h"

namespace orrery {

class ReorderMeter {
 public:
  // A packet that was sent once came.
  void came(PacketNumber number) {
    if (number >= newest_) {
      newest_ = number;
      return;
    }
    ++counted_.late;
    counted_.most_overtaken_by = std::max(counted_.most_overtaken_by, newest_ - number);
  }
  // What the receiver keeps now that it cannot hand on in order.
  void holds(Bytes held) { counted_.most_held = std::max(counted_.most_held, held); }

  const Reordering& counted() const { return counted_; }

 private:
  PacketNumber newest_ = 0;
  Reordering counted_;
};

}  // namespace orrery
