// What NPUs get of their NICs while all of them send. Several NPUs may share a NIC, and the bus
// between them and it may be slower than it.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology/topology.h"

namespace orrery {

class NicShares {
 public:
  // Without NICs nothing is shared. REQUIRES: topology outlives this. O(nodes + links).
  explicit NicShares(const Topology& topology);

  // Whether what an NPU sends on the level leaves by NICs.
  bool serves(int level) const;
  // What an NPU can send on a level while all send: of all its ports there, no more than its links
  // to NICs and its equal part of each of them.
  Bandwidth at(std::int32_t npu, int level) const;
  // The mean over the first `npus`, and the least of all.
  Bandwidth mean(int level, std::int32_t npus) const;
  Bandwidth least(int level) const;
  // Of an NPU: what its links to NICs carry, and its parts of the NICs, both 0 without NICs.
  Bandwidth bus(std::int32_t npu) const;
  Bandwidth part_of_nics(std::int32_t npu) const;
  // What it can send by its NICs while no other NPU does; 0 without NICs.
  Bandwidth alone(std::int32_t npu) const;

 private:
  struct Share {
    Bandwidth bus, nics;    // of its links to NICs, of its parts of the NICs
    Bandwidth both, alone;  // link by link the less of link and part, or of link and NIC
  };
  const Topology& topology_;
  std::vector<Share> shares_;  // of each NPU
  std::vector<bool> serves_;   // of each level
};

}  // namespace orrery
