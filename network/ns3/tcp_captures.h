// Hands ns-3's packets on chosen links to PacketCaptures (network/packet/packet_capture.h).
#pragma once

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

#include "network/network_spec.h"
#include "network/packet/packet_capture.h"
#include "network/packet/packet_fabric.h"
#include "network/packet_statistics.h"

namespace orrery {

// The two ends of a packet as a capture shows them: connections of a pair differ in the port of
// the NPU whose messages they carry.
struct CapturedEnds {
  NodeId from, to;
  std::uint16_t from_port = 0, to_port = 0;
};
// `number`: of the connections from source to target; `forward`: from source to target.
CapturedEnds captured_ends(NodeId source, NodeId target, std::uint32_t number, bool forward);

class TcpCaptures {
 public:
  TcpCaptures(const NetworkSpec& spec, PacketFabric& fabric);

  bool any() const { return !captures_.empty(); }
  // The ends of a packet that is about to be sent; needed if any().
  void note_ends(PacketIndex packet, const CapturedEnds& ends);
  void packet_starts(Time now, PacketIndex index, LinkIndex link,
                     const ns3::Ptr<ns3::Packet>& packet, bool can_be_marked, bool marked);

  std::vector<CaptureStatistics> statistics() const;

 private:
  std::vector<PacketCapture> captures_;
  std::vector<CapturedEnds> ends_;  // by PacketIndex
};

}  // namespace orrery
