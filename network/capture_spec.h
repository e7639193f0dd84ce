// Which packets a packet network keeps for tcpdump and Wireshark, as plain data.
// docs/models/packet-fabric.md, "Captures".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

struct CaptureSpec {
  std::string link;              // as the user calls it
  std::vector<LinkIndex> links;  // one direction of it, or both
  // Only what one of these two NPUs sends to the other.
  std::optional<std::array<NodeId, 2>> between;
};

}  // namespace orrery
