// Which links a flow crosses, and with which share, for a comparison of all flows
// (network/link_classes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "network/link_classes.h"
#include "network/routing/path_comparison.h"
#include "network/routing/router.h"

namespace orrery::fluid {

// What is between two leaves is found once, and kept.
class Crossings {
 public:
  // REQUIRES: both outlive this; routes do not change.
  Crossings(const Topology& topology, Router& router)
      : topology_(topology), router_(router), comparison_(topology) {}

  // As CrossingsOf says.
  std::string find(NodeId from, NodeId to, FlowCrossings& found);

 private:
  // From one node of the core to another one, with the narrowest link before the first.
  struct Core {
    CoreNode exit, entry;
    Bandwidth narrowest;
    bool operator==(const Core&) const = default;
  };
  struct HashOfCore {
    std::size_t operator()(const Core& core) const;
  };
  struct Between {
    SharedCrossings shared;
    bool alike = false, takes_time = false;
  };

  // Null if there is no more room.
  const Between* between(const CommonEnds& ends);
  std::string differ(NodeId from, NodeId to) const;
  std::string has_none(NodeId from, NodeId to, const char* what) const;

  const Topology& topology_;
  Router& router_;
  PathComparison comparison_;
  std::unordered_map<Core, Between, HashOfCore> between_;  // looked up only
  std::size_t kept_ = 0;                                   // crossings in it
  std::vector<LinkIndex> path_;
  std::vector<LinkShare> shares_;
};

}  // namespace orrery::fluid
