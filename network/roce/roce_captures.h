// Hands RoCE's packets on chosen links to PacketCaptures (network/packet/packet_capture.h).
#pragma once

#include <vector>

#include "network/network_spec.h"
#include "network/packet/packet_capture.h"
#include "network/packet/packet_fabric.h"
#include "network/packet_statistics.h"
#include "network/roce/roce_frame.h"

namespace orrery {

class RoceCaptures {
 public:
  RoceCaptures(const NetworkSpec& spec, PacketFabric& fabric);

  bool any() const { return !captures_.empty(); }
  // What a packet is that is about to be sent; needed if any().
  void keep(PacketIndex packet, const RoceFields& fields);
  void packet_starts(Time now, PacketIndex packet, LinkIndex link, bool marked);

  std::vector<CaptureStatistics> statistics() const;

 private:
  std::vector<PacketCapture> captures_;
  std::vector<RoceFrame> frames_;  // by PacketIndex
};

}  // namespace orrery
